// SPDX-License-Identifier: BSD-3-Clause
// The decoders behind read_image, one per format. All take the whole file; `name` is for messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dualdict/error.h"
#include "dualdict/images.h"
#include "io/image/image_reader.h"

namespace dualdict {

using ImageBytes = std::span<const unsigned char>;

// Grey when that is asked for; as stored otherwise.
Image decode_png(ImageBytes bytes, const std::string& name, bool grey);
Image decode_jpeg(ImageBytes bytes, const std::string& name, bool grey);
Image decode_pnm(ImageBytes bytes, const std::string& name, bool grey);

[[noreturn]] inline void throw_bad_image(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kInput, name + ": " + what);
}

// Rec. 601 luma of values on any scale. The weights are whole numbers so that r = g = b gives exactly that value.
inline double luma(double r, double g, double b) {
  return (299.0 * r + 587.0 * g + 114.0 * b) / 1000.0;
}

// A pixel from one or three values: their luma, or themselves.
inline void put_pixel(const std::array<double, 3>& values, std::size_t n_values, bool grey, float* out) {
  if (n_values == 3 && grey)
    out[0] = static_cast<float>(luma(values[0], values[1], values[2]));
  else
    for (std::size_t c = 0; c < n_values; ++c) out[c] = static_cast<float>(values[c]);
}

// Refuses an image of no or too many pixels, and one whose file is too short for them: `max_pixels_per_byte` is the
// most that the format can pack into a byte. To be called before anything is allocated from the declared size.
inline void check_image_size(const std::string& name, std::uint64_t width, std::uint64_t height, std::size_t file_size,
                             std::uint64_t max_pixels_per_byte) {
  const std::string size = std::to_string(width) + " x " + std::to_string(height) + " pixels";
  if (width == 0 || height == 0) throw_bad_image(name, "the image is declared as " + size + ", there must be some");
  if (width > kMaxImagePixels / height)
    throw_bad_image(
        name, "the image is declared as " + size + ", at most " + std::to_string(kMaxImagePixels) + " pixels are read");
  if (width * height / max_pixels_per_byte > file_size)
    throw_bad_image(name, "the image is declared as " + size + " but the file has only " + std::to_string(file_size) +
                              " bytes: it is truncated or damaged");
}

}  // namespace dualdict
