// SPDX-License-Identifier: BSD-3-Clause
// A grey image as the bytes of a PNG file.
#pragma once

#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

// Values rounded to the nearest of 0..255, those outside clamped, NaN as 0. At least one pixel, else Error(kUsage).
std::vector<unsigned char> encode_grey_png(MatrixView<const float> pixels);

}  // namespace dualdict
