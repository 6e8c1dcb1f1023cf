// SPDX-License-Identifier: BSD-3-Clause
// Which way up a camera was held.
#pragma once

#include "io/image/image_decode.h"

namespace dualdict {

inline constexpr unsigned kUpright = 1;

// The orientation, 1 to 8, in the bytes of an APP1 marker; kUpright where it says none or cannot be understood.
unsigned exif_orientation(ImageBytes marker);

// The image as it was meant to be seen.
Image upright(Image image, unsigned orientation);

}  // namespace dualdict
