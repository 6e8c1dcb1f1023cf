// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <vector>

#include "dualdict/files.h"
#include "dualdict/images.h"
#include "io/bytes/durable_file.h"
#include "io/image/png_encode.h"

namespace dualdict {

namespace {

void write_whole(const std::string& path, const std::vector<unsigned char>& bytes) {
  if (path == "-")
    open_standard_output()->append(std::as_bytes(std::span(bytes)));
  else
    write_file(path, std::as_bytes(std::span(bytes)));
}

}  // namespace

void write_grey_png(const std::string& path, MatrixView<const float> pixels) {
  write_whole(path, encode_png(pixels));
}

void write_png(const std::string& path, const Image& image) {
  write_whole(path, encode_png(image.pixels, {image.channels, image.bits}));
}

}  // namespace dualdict
