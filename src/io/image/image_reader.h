// SPDX-License-Identifier: BSD-3-Clause
// Image files as grey values.
#pragma once

#include <cstddef>
#include <string>

#include "dualdict/matrix.h"

namespace dualdict {

// Images with more pixels than this are refused before anything is allocated for them.
inline constexpr std::size_t kMaxImagePixels = std::size_t{1} << 28;

// Reads a PNG, JPEG, PGM or PPM file, known by its content and not by its ending, as grey values 0..255: colours by
// Rec. 601 luma, 16-bit values divided down without rounding, palettes looked up, alpha ignored. Throws Error(kInput)
// that names the file and what is wrong with it.
Matrix<float> read_grey_image(const std::string& path);

}  // namespace dualdict
