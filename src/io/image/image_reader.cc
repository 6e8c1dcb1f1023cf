// SPDX-License-Identifier: BSD-3-Clause
#include "io/image/image_reader.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "io/image/image_decode.h"

namespace dualdict {
namespace {

// The largest image, 16-bit RGB and not compressed, and a header.
constexpr std::size_t kMaxFileSize = kMaxImagePixels * 6 + (1 << 20);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool starts_with(ImageBytes bytes, std::initializer_list<unsigned char> signature) {
  return bytes.size() >= signature.size() && std::memcmp(bytes.data(), signature.begin(), signature.size()) == 0;
}

bool is_pnm(ImageBytes bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7' &&
         std::strchr(" \t\r\n\v\f#", bytes[2]) != nullptr && bytes[2] != 0;
}

using Decode = Image (*)(ImageBytes, const std::string&, bool);

// By the first bytes.
Decode decoder_of(ImageBytes bytes, const std::string& path) {
  if (bytes.empty()) throw_bad_image(path, "the file is empty");
  if (starts_with(bytes, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'})) return decode_png;
  if (starts_with(bytes, {0xff, 0xd8, 0xff})) return decode_jpeg;
  if (is_pnm(bytes)) return decode_pnm;
  throw_bad_image(path, "is not an image that can be read: its content is neither PNG, JPEG, PGM nor PPM");
}

// In pieces, so that memory grows with what is really there, whatever kind of file it is.
std::vector<unsigned char> read_bytes(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw_bad_image(path, std::string("cannot be opened: ") + std::strerror(errno));
  std::vector<unsigned char> bytes;
  std::array<unsigned char, 1 << 16> piece;
  for (;;) {
    const std::size_t n = std::fread(piece.data(), 1, piece.size(), file.get());
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(n));
    decoder_of(bytes, path);
    if (bytes.size() > kMaxFileSize)
      throw_bad_image(path, "is longer than " + std::to_string(kMaxFileSize) + " bytes, the most an image may have");
    if (n < piece.size()) break;
  }
  if (std::ferror(file.get()) != 0) throw_bad_image(path, std::string("cannot be read: ") + std::strerror(errno));
  return bytes;
}

}  // namespace

Image read_image(const std::string& path, ImageColor color) {
  const std::vector<unsigned char> bytes = read_bytes(path);
  Image image = decoder_of(bytes, path)(bytes, path, color == ImageColor::kGrey);
  if (color != ImageColor::kRgb || image.channels == 3) return image;
  Image rgb{.pixels = Matrix<float>(image.height(), 3 * image.width()),
            .channels = 3,
            .bits = image.bits,
            .stored_channels = 1};
  for (std::size_t i = 0; i < rgb.pixels.size(); ++i) rgb.pixels.data()[i] = image.pixels.data()[i / 3];
  return rgb;
}

}  // namespace dualdict
