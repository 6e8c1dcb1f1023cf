// SPDX-License-Identifier: BSD-3-Clause
#include <png.h>

#include <cstring>
#include <new>
#include <vector>

#include "io/image/image_decode.h"
#include "io/image/png_errors.h"

namespace dualdict {
namespace {

// deflate packs at most 1032 bytes into one, and a pixel has at least one bit.
constexpr std::uint64_t kMaxPngPixelsPerByte = 1032 * 8;

// What the callbacks of libpng see.
struct PngState : PngErrors {
  ImageBytes bytes;
  std::size_t position = 0;
};

void on_read(png_structp png, png_bytep out, std::size_t n) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  if (n > state->bytes.size() - state->position) png_error(png, "the file ends too early");
  std::memcpy(out, state->bytes.data() + state->position, n);
  state->position += n;
}

// libpng reports an error by longjmp to the last setjmp. Each function that calls it therefore holds nothing with a
// destructor, returns false after an error, and the message waits in the state.
class PngDecoder {
 public:
  PngDecoder(ImageBytes bytes, const std::string& name, bool grey) : name_(name), grey_(grey) { state_.bytes = bytes; }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  Image decode() {
    require(read_header());
    check_image_size(name_, png_get_image_width(png_, info_), png_get_image_height(png_, info_), state_.bytes.size(),
                     kMaxPngPixelsPerByte);
    require(choose_layout());
    const std::size_t row_bytes = png_get_rowbytes(png_, info_);
    const std::size_t height = png_get_image_height(png_, info_);
    // An interlaced image is known only after its last pass; any other is read row by row.
    const std::size_t n_buffered = n_passes_ > 1 ? height : 1;
    buffer_.resize(n_buffered * row_bytes);
    Image image{
        .channels = grey_ ? 1 : n_channels_, .bits = static_cast<unsigned>(depth_), .stored_channels = n_channels_};
    image.pixels = Matrix<float>(height, png_get_image_width(png_, info_) * image.channels);
    for (int pass = 0; pass < n_passes_; ++pass)
      for (std::size_t y = 0; y < height; ++y) {
        png_bytep row = buffer_.data() + (n_passes_ > 1 ? y * row_bytes : 0);
        require(read_row(row));
        if (pass == n_passes_ - 1) put_row(row, image, y);
      }
    require(read_end());
    return image;
  }

 private:
  void require(bool ok) {
    if (!ok) throw_bad_image(name_, std::string("damaged PNG: ") + state_.message.data());
  }

  bool read_header() {
    png_ =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, static_cast<PngErrors*>(&state_), on_png_error, on_png_warning);
    if (png_ == nullptr) throw std::bad_alloc();
    if (setjmp(state_.jump) != 0) return false;
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) png_error(png_, "out of memory");
    png_set_read_fn(png_, &state_, on_read);
    png_set_user_limits(png_, kMaxImagePixels, kMaxImagePixels);
    png_read_info(png_, info_);
    return true;
  }

  // After this a pixel is one grey value or three colours, of 8 or 16 bits.
  bool choose_layout() {
    if (setjmp(state_.jump) != 0) return false;
    png_set_palette_to_rgb(png_);
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_alpha(png_);
    n_passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    n_channels_ = png_get_channels(png_, info_);
    depth_ = png_get_bit_depth(png_, info_);
    if ((n_channels_ != 1 && n_channels_ != 3) || (depth_ != 8 && depth_ != 16))
      png_error(png_, "a combination of channels and bits that is not known");
    return true;
  }

  bool read_row(png_bytep row) {
    if (setjmp(state_.jump) != 0) return false;
    png_read_row(png_, row, nullptr);
    return true;
  }

  bool read_end() {
    if (setjmp(state_.jump) != 0) return false;
    png_read_end(png_, nullptr);
    return true;
  }

  double value(png_const_bytep row, std::size_t i) const {
    // 65535 / 257 = 255.
    return depth_ == 8 ? row[i] : (row[2 * i] * 256 + row[2 * i + 1]) / 257.0;
  }

  void put_row(png_const_bytep row, Image& image, std::size_t y) const {
    for (std::size_t x = 0; x < image.width(); ++x) {
      std::array<double, 3> values{};
      for (std::size_t c = 0; c < n_channels_; ++c) values[c] = value(row, x * n_channels_ + c);
      put_pixel(values, n_channels_, grey_, image.pixels.row(y) + x * image.channels);
    }
  }

  const std::string& name_;
  bool grey_;
  PngState state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int n_passes_ = 1;
  std::size_t n_channels_ = 0;
  int depth_ = 0;
  std::vector<unsigned char> buffer_;
};

}  // namespace

Image decode_png(ImageBytes bytes, const std::string& name, bool grey) {
  return PngDecoder(bytes, name, grey).decode();
}

}  // namespace dualdict
