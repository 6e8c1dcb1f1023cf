// SPDX-License-Identifier: BSD-3-Clause
#include "io/image/png_encode.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "dualdict/error.h"
#include "io/image/png_errors.h"

namespace dualdict {
namespace {

constexpr std::size_t kMaxSide = 0x7fffffff;  // of the format

// What the callbacks of libpng see.
struct EncodeState : PngErrors {
  std::vector<unsigned char> bytes;
};

// No exception may pass through libpng.
bool append(std::vector<unsigned char>& bytes, png_const_bytep more, std::size_t n) noexcept {
  try {
    bytes.insert(bytes.end(), more, more + n);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void on_write(png_structp png, png_bytep bytes, std::size_t n) {
  if (!append(static_cast<EncodeState*>(png_get_io_ptr(png))->bytes, bytes, n)) png_error(png, "out of memory");
}

void on_flush(png_structp) {}

// Most significant byte first.
void put_value(float value, unsigned bits, unsigned char* out) {
  const double largest = bits == 16 ? 65535.0 : 255.0;
  const double scaled = static_cast<double>(value) * (largest / 255.0);
  const long rounded = !(scaled > 0) ? 0 : std::lround(std::min(scaled, largest));
  if (bits == 16) *out++ = static_cast<unsigned char>(rounded >> 8);
  *out = static_cast<unsigned char>(rounded & 0xff);
}

// libpng reports an error by longjmp to the last setjmp: nothing in these functions has a destructor.
class PngEncoder {
 public:
  explicit PngEncoder(const PngKind& kind) : kind_(kind) {}
  ~PngEncoder() { png_destroy_write_struct(&png_, &info_); }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;

  std::vector<unsigned char> encode(MatrixView<const float> pixels) {
    row_.resize(pixels.cols * (kind_.bits / 8));
    png_ =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, static_cast<PngErrors*>(&state_), on_png_error, on_png_warning);
    if (png_ == nullptr || !write(pixels))
      throw Error(ErrorKind::kMemory, std::string("a PNG image could not be made: ") + state_.message.data());
    return std::move(state_.bytes);
  }

 private:
  bool write(MatrixView<const float> pixels) {
    if (setjmp(state_.jump) != 0) return false;
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) png_error(png_, "out of memory");
    png_set_write_fn(png_, &state_, on_write, on_flush);
    png_set_user_limits(png_, kMaxSide, kMaxSide);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(pixels.cols / kind_.channels),
                 static_cast<png_uint_32>(pixels.rows), static_cast<int>(kind_.bits),
                 kind_.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    for (std::size_t y = 0; y < pixels.rows; ++y) {
      for (std::size_t x = 0; x < pixels.cols; ++x)
        put_value(pixels(y, x), kind_.bits, row_.data() + x * (kind_.bits / 8));
      png_write_row(png_, row_.data());
    }
    png_write_end(png_, nullptr);
    return true;
  }

  PngKind kind_;
  EncodeState state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::vector<unsigned char> row_;
};

}  // namespace

std::vector<unsigned char> encode_png(MatrixView<const float> pixels, const PngKind& kind) {
  if (pixels.empty() || pixels.rows > kMaxSide || pixels.cols > kMaxSide)
    throw Error(ErrorKind::kUsage, "an image of " + std::to_string(pixels.cols) + " x " + std::to_string(pixels.rows) +
                                       " pixels cannot be a PNG: each side must be 1 to " + std::to_string(kMaxSide));
  return PngEncoder(kind).encode(pixels);
}

}  // namespace dualdict
