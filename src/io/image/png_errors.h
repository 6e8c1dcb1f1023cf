// SPDX-License-Identifier: BSD-3-Clause
// How libpng tells of an error: by a longjmp to the last setjmp, with a message that waits here.
#pragma once

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>

namespace dualdict {

// It must outlive every call of libpng, and none of its members is touched by longjmp.
struct PngErrors {
  std::array<char, 256> message{};
  std::jmp_buf jump;
};

// For png_create_*_struct with a PngErrors as its error pointer.
inline void on_png_error(png_structp png, png_const_charp text) {
  auto* errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  std::snprintf(errors->message.data(), errors->message.size(), "%s", text);
  std::longjmp(errors->jump, 1);
}

inline void on_png_warning(png_structp, png_const_charp) {}

}  // namespace dualdict
