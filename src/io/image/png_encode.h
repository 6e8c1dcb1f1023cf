// SPDX-License-Identifier: BSD-3-Clause
// An image as the bytes of a PNG file.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

struct PngKind {
  std::size_t channels = 1;  // or 3, those of a pixel beside each other
  unsigned bits = 8;         // or 16
};

// Values 0..255 rounded to the nearest that the bits can say, those outside clamped, NaN as 0. At least one pixel, else
// Error(kUsage).
std::vector<unsigned char> encode_png(MatrixView<const float> pixels, const PngKind& kind = {});

}  // namespace dualdict
