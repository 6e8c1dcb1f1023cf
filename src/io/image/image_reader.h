// SPDX-License-Identifier: BSD-3-Clause
// What bounds images; read_image itself is public.
#pragma once

#include <cstddef>

#include "dualdict/images.h"

namespace dualdict {

// Images with more pixels than this are refused before anything is allocated for them.
inline constexpr std::size_t kMaxImagePixels = std::size_t{1} << 28;

}  // namespace dualdict
