// SPDX-License-Identifier: BSD-3-Clause
// Image files made in memory, each with its own library, for the tests of the readers.
#pragma once

#include <cstddef>
#include <cstdio>

#include <jpeglib.h>
#include <png.h>

#include <cstdlib>
#include <vector>

#include "io/temporary_folder.h"

namespace dualdict {

struct PngLayout {
  unsigned width = 0;
  unsigned height = 0;
  int depth = 8;
  int color_type = PNG_COLOR_TYPE_GRAY;
  bool interlaced = false;
  std::vector<png_color> palette = {};
};

// `rows` holds the rows as libpng wants them, one after the other.
inline Bytes make_png(const PngLayout& layout, const Bytes& rows) {
  Bytes out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep bytes, std::size_t n) {
        auto* to = static_cast<Bytes*>(png_get_io_ptr(p));
        to->insert(to->end(), bytes, bytes + n);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, layout.width, layout.height, layout.depth, layout.color_type,
               layout.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (!layout.palette.empty()) png_set_PLTE(png, info, layout.palette.data(), static_cast<int>(layout.palette.size()));
  png_write_info(png, info);
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  std::vector<png_bytep> pointers;
  for (unsigned y = 0; y < layout.height; ++y) pointers.push_back(const_cast<png_bytep>(rows.data()) + y * row_bytes);
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

struct JpegLayout {
  unsigned width = 0;
  unsigned height = 0;
  J_COLOR_SPACE from = JCS_GRAYSCALE;
  J_COLOR_SPACE stored = JCS_GRAYSCALE;
  bool progressive = false;
  bool many_scans = false;  // a coefficient a scan, in two steps: 127 of them
};

inline Bytes make_jpeg(const JpegLayout& layout, const Bytes& rows) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = layout.width;
  info.image_height = layout.height;
  info.input_components = layout.from == JCS_GRAYSCALE ? 1 : layout.from == JCS_CMYK ? 4 : 3;
  info.in_color_space = layout.from;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, layout.stored);
  jpeg_set_quality(&info, 100, TRUE);
  if (layout.progressive) jpeg_simple_progression(&info);
  std::vector<jpeg_scan_info> scans;
  if (layout.many_scans) {
    scans.push_back({1, {0, 0, 0, 0}, 0, 0, 0, 0});
    for (int low = 1; low >= 0; --low)
      for (int k = 1; k < DCTSIZE2; ++k) scans.push_back({1, {0, 0, 0, 0}, k, k, low == 1 ? 0 : 1, low});
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  jpeg_start_compress(&info, TRUE);
  const std::size_t row_bytes = static_cast<std::size_t>(info.input_components) * layout.width;
  while (info.next_scanline < layout.height) {
    JSAMPROW row = const_cast<JSAMPROW>(rows.data()) + info.next_scanline * row_bytes;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  Bytes out(memory, memory + size);
  std::free(memory);
  return out;
}

}  // namespace dualdict
