// SPDX-License-Identifier: BSD-3-Clause
#include <cctype>

#include "io/image/image_decode.h"

namespace dualdict {
namespace {

class PnmDecoder {
 public:
  PnmDecoder(ImageBytes bytes, const std::string& name, bool grey) : bytes_(bytes), name_(name), grey_(grey) {}

  Image decode() {
    const char kind = static_cast<char>(bytes_[1]);
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
      throw_bad_image(name_,
                      std::string("is a P") + kind + " file; of this family PGM (P2, P5) and PPM (P3, P6) are read");
    position_ = 2;
    text_ = kind == '2' || kind == '3';
    n_channels_ = kind == '3' || kind == '6' ? 3 : 1;
    const std::uint64_t width = read_number("width", kMaxImagePixels);
    const std::uint64_t height = read_number("height", kMaxImagePixels);
    max_value_ = read_number("maximum value", 65535);
    if (max_value_ == 0) throw_bad_image(name_, "the maximum value is 0, it must be 1 to 65535");
    check_image_size(name_, width, height, bytes_.size(), 1);
    if (!text_) skip_one_space();
    check_length(width * height * n_channels_);
    Image image{
        .channels = grey_ ? 1 : n_channels_, .bits = max_value_ < 256 ? 8U : 16U, .stored_channels = n_channels_};
    image.pixels = Matrix<float>(height, width * image.channels);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) read_pixel(image.pixels.row(y) + x * image.channels);
    return image;
  }

 private:
  // White space and comments, which run from # to the end of the line.
  void skip_space() {
    bool comment = false;
    for (; position_ < bytes_.size(); ++position_) {
      const unsigned char c = bytes_[position_];
      if (c == '#') comment = true;
      if (c == '\n' || c == '\r') comment = false;
      if (!comment && std::isspace(c) == 0) return;
    }
  }

  void skip_one_space() {
    if (position_ >= bytes_.size() || std::isspace(bytes_[position_]) == 0)
      throw_bad_image(name_, "damaged header: one white space must follow the maximum value at offset " +
                                 std::to_string(position_));
    ++position_;
  }

  std::uint64_t read_number(const char* field, std::uint64_t limit) {
    skip_space();
    const std::size_t start = position_;
    std::uint64_t number = 0;
    for (; position_ < bytes_.size() && std::isdigit(bytes_[position_]) != 0; ++position_) {
      number = number * 10 + (bytes_[position_] - '0');
      if (number > limit)
        throw_bad_image(name_, std::string("the ") + field + " at offset " + std::to_string(start) +
                                   " is larger than " + std::to_string(limit));
    }
    if (position_ == start)
      throw_bad_image(name_, std::string("no number for the ") + field + " at offset " + std::to_string(start) +
                                 (start < bytes_.size() ? "" : ": the file ends too early"));
    return number;
  }

  // A number in text is a digit, and all but the last are followed by a space.
  void check_length(std::uint64_t n_values) {
    const std::uint64_t needed = text_ ? 2 * n_values - 1 : n_values * value_size();
    const std::uint64_t present = bytes_.size() - position_;
    if (present < needed)
      throw_bad_image(name_, "the pixels need " + std::to_string(needed) + " bytes and the file has " +
                                 std::to_string(present) + " left: it is truncated");
  }

  std::size_t value_size() const { return max_value_ < 256 ? 1 : 2; }

  double read_value() {
    if (text_) return static_cast<double>(read_number("value of a pixel", max_value_));
    std::uint64_t value = bytes_[position_];
    if (value_size() == 2) value = value * 256 + bytes_[position_ + 1];
    if (value > max_value_)
      throw_bad_image(name_, "the value " + std::to_string(value) + " at offset " + std::to_string(position_) +
                                 " is larger than the file's maximum " + std::to_string(max_value_));
    position_ += value_size();
    return static_cast<double>(value);
  }

  void read_pixel(float* out) {
    std::array<double, 3> values{};
    for (std::size_t c = 0; c < n_channels_; ++c) values[c] = read_value() * 255.0 / static_cast<double>(max_value_);
    put_pixel(values, n_channels_, grey_, out);
  }

  ImageBytes bytes_;
  const std::string& name_;
  bool grey_;
  std::size_t position_ = 0;
  std::uint64_t max_value_ = 0;
  std::size_t n_channels_ = 1;
  bool text_ = false;
};

}  // namespace

Image decode_pnm(ImageBytes bytes, const std::string& name, bool grey) {
  return PnmDecoder(bytes, name, grey).decode();
}

}  // namespace dualdict
