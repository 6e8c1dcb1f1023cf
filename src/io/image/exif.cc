// SPDX-License-Identifier: BSD-3-Clause
#include "io/image/exif.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace dualdict {
namespace {

// The header of a TIFF file: its byte order, and where its first list of tags is.
class TiffTags {
 public:
  explicit TiffTags(ImageBytes bytes) : bytes_(bytes), little_(!bytes.empty() && bytes[0] == 'I') {}

  // The value of a tag of one short number; `missing` where there is none.
  unsigned find_short(unsigned wanted, unsigned missing) const {
    constexpr std::size_t kEntrySize = 12, kValueOffset = 8;
    constexpr unsigned kMagic = 42, kShort = 3;
    if (number(2, 2) != kMagic) return missing;
    const std::size_t list = number(4, 4);
    const std::size_t n_tags = number(list, 2);
    for (std::size_t i = 0; i < n_tags; ++i) {
      const std::size_t entry = list + 2 + i * kEntrySize;
      if (entry + kEntrySize > bytes_.size()) return missing;
      if (number(entry, 2) == wanted && number(entry + 2, 2) == kShort)
        return static_cast<unsigned>(number(entry + kValueOffset, 2));
    }
    return missing;
  }

 private:
  // 0 behind the end.
  std::size_t number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return 0;
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value * 256 + bytes_[little_ ? at + size - 1 - i : at + i];
    return value;
  }

  ImageBytes bytes_;
  bool little_;
};

}  // namespace

unsigned exif_orientation(ImageBytes marker) {
  constexpr std::string_view kSignature("Exif\0\0", 6);
  constexpr unsigned kOrientationTag = 0x0112, kLastOrientation = 8;
  if (marker.size() < kSignature.size() || std::memcmp(marker.data(), kSignature.data(), kSignature.size()) != 0)
    return kUpright;
  const unsigned value = TiffTags(marker.subspan(kSignature.size())).find_short(kOrientationTag, kUpright);
  return value >= kUpright && value <= kLastOrientation ? value : kUpright;
}

// Row 0 and column 0 of the file are, in this order: top left, top right, bottom right, bottom left, and with rows and
// columns exchanged left top, right top, right bottom, left bottom.
Image upright(Image image, unsigned orientation) {
  if (orientation == kUpright) return image;
  const bool exchanged = orientation >= 5;
  const bool bottom = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const bool right = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const std::size_t height = exchanged ? image.width() : image.height();
  const std::size_t width = exchanged ? image.height() : image.width();
  Image turned{.pixels = Matrix<float>(height, width * image.channels),
               .channels = image.channels,
               .bits = image.bits,
               .stored_channels = image.stored_channels};
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t v = bottom ? height - 1 - y : y;
      const std::size_t h = right ? width - 1 - x : x;
      const float* from = image.pixels.row(exchanged ? h : v) + (exchanged ? v : h) * image.channels;
      std::copy_n(from, image.channels, turned.pixels.row(y) + x * image.channels);
    }
  return turned;
}

}  // namespace dualdict
