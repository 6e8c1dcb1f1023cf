// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "dualdict/error.h"
#include "dualdict/files.h"
#include "dualdict/images.h"
#include "io/image/png_encode.h"
#include "io/image_bytes.h"
#include "io/test_files.h"

namespace dualdict {
namespace {

Matrix<float> read_grey(const std::string& path) {
  return read_image(path, ImageColor::kGrey).pixels;
}
Matrix<float> read_bytes(const Bytes& bytes) {
  const TemporaryFolder folder;
  return read_grey(folder.write("image", bytes));
}
Matrix<float> read_text(const std::string& text) {
  return read_bytes(Bytes(text.begin(), text.end()));
}

// The message of the Error(kInput) that reading must throw; it names the file.
std::string image_refusal(const Bytes& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("the file", bytes);
  try {
    read_grey(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_EQ(std::string(error.what()).rfind(path, 0), 0U) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "was read";
  return {};
}
std::string image_refusal(const std::string& text) {
  return image_refusal(Bytes(text.begin(), text.end()));
}

Bytes ramp(std::size_t n, unsigned step = 7) {
  Bytes bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(i * step);
  return bytes;
}

float expected_luma(unsigned r, unsigned g, unsigned b) {
  return static_cast<float>((299.0 * r + 587.0 * g + 114.0 * b) / 1000.0);
}

// A smooth picture that JPEG at the highest quality keeps within a few grey values.
Bytes smooth(unsigned width, unsigned height, unsigned channels) {
  Bytes bytes;
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x)
      for (unsigned c = 0; c < channels; ++c) bytes.push_back(static_cast<unsigned char>(40 + 3 * x + 2 * y + 20 * c));
  return bytes;
}

TEST(ReadPng, GreyIsExact) {
  const Bytes pixels = ramp(5 * 3);
  const Matrix<float> image = read_bytes(make_png({.width = 5, .height = 3}, pixels));
  ASSERT_EQ(image.rows(), 3U);
  ASSERT_EQ(image.cols(), 5U);
  for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_EQ(image.data()[i], pixels[i]);
}

TEST(ReadPng, ColourBecomesLumaAndAlphaIsIgnored) {
  const Bytes rgb{255, 0, 0, 0, 255, 0, 0, 0, 255, 77, 77, 77};
  const Matrix<float> image = read_bytes(make_png({.width = 4, .height = 1, .color_type = PNG_COLOR_TYPE_RGB}, rgb));
  EXPECT_EQ(image(0, 0), expected_luma(255, 0, 0));
  EXPECT_EQ(image(0, 1), expected_luma(0, 255, 0));
  EXPECT_EQ(image(0, 2), expected_luma(0, 0, 255));
  EXPECT_EQ(image(0, 3), 77.0F);

  const Bytes rgba{10, 20, 30, 0, 200, 100, 50, 128};
  const Matrix<float> clear = read_bytes(make_png({.width = 2, .height = 1, .color_type = PNG_COLOR_TYPE_RGBA}, rgba));
  EXPECT_EQ(clear(0, 0), expected_luma(10, 20, 30));
  EXPECT_EQ(clear(0, 1), expected_luma(200, 100, 50));

  const Bytes grey_alpha{90, 0, 91, 255};
  const Matrix<float> grey =
      read_bytes(make_png({.width = 2, .height = 1, .color_type = PNG_COLOR_TYPE_GRAY_ALPHA}, grey_alpha));
  EXPECT_EQ(grey(0, 0), 90.0F);
  EXPECT_EQ(grey(0, 1), 91.0F);
}

TEST(ReadPng, SixteenBitsAreScaledWithoutRounding) {
  const Bytes pixels{0xff, 0xff, 0x00, 0x01, 0x12, 0x34};
  const Matrix<float> image = read_bytes(make_png({.width = 3, .height = 1, .depth = 16}, pixels));
  EXPECT_EQ(image(0, 0), 255.0F);
  EXPECT_EQ(image(0, 1), static_cast<float>(1 / 257.0));
  EXPECT_EQ(image(0, 2), static_cast<float>(0x1234 / 257.0));
}

TEST(ReadPng, FewBitsAndPalettesAreExpanded) {
  const Matrix<float> bits = read_bytes(make_png({.width = 8, .height = 1, .depth = 1}, {0b10100000}));
  EXPECT_EQ(bits(0, 0), 255.0F);
  EXPECT_EQ(bits(0, 1), 0.0F);
  EXPECT_EQ(bits(0, 2), 255.0F);
  const PngLayout layout{.width = 3,
                         .height = 1,
                         .depth = 8,
                         .color_type = PNG_COLOR_TYPE_PALETTE,
                         .palette = {{9, 9, 9}, {255, 0, 0}, {1, 2, 3}}};
  const Matrix<float> palette = read_bytes(make_png(layout, {2, 0, 1}));
  EXPECT_EQ(palette(0, 0), expected_luma(1, 2, 3));
  EXPECT_EQ(palette(0, 1), 9.0F);
  EXPECT_EQ(palette(0, 2), expected_luma(255, 0, 0));
}

TEST(ReadPng, InterlacedEqualsPlain) {
  const Bytes pixels = ramp(19 * 13, 11);
  const Matrix<float> plain = read_bytes(make_png({.width = 19, .height = 13}, pixels));
  const Matrix<float> interlaced = read_bytes(make_png({.width = 19, .height = 13, .interlaced = true}, pixels));
  EXPECT_TRUE(plain == interlaced);
}

TEST(ReadPng, EveryTruncationIsRefused) {
  const Bytes whole = make_png({.width = 17, .height = 9}, ramp(17 * 9, 31));
  for (std::size_t n = 8; n < whole.size(); ++n)
    expect_contains(image_refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))), "PNG");
}

TEST(ReadPng, EveryFlippedByteOfThePixelsIsRefused) {
  const Bytes whole = make_png({.width = 17, .height = 9}, ramp(17 * 9, 31));
  const char idat[] = "IDAT";
  const auto start = std::search(whole.begin(), whole.end(), idat, idat + 4) - whole.begin() + 4;
  for (auto i = static_cast<std::size_t>(start); i + 16 < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 0x10;
    expect_contains(image_refusal(damaged), "damaged PNG");
  }
}

TEST(ReadPng, DeclaredSizeIsCheckedBeforeAllocation) {
  // An honest picture with its width replaced, and the checksum of the header with it.
  Bytes bytes = make_png({.width = 5, .height = 3}, ramp(15));
  const auto declare = [&bytes](std::uint32_t width, std::uint32_t height) {
    png_save_uint_32(bytes.data() + 16, width);
    png_save_uint_32(bytes.data() + 20, height);
    std::uint32_t crc = 0xffffffff;
    for (std::size_t i = 12; i < 29; ++i) {
      crc ^= bytes[i];
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320 : 0);
    }
    png_save_uint_32(bytes.data() + 29, ~crc);
  };
  declare(1 << 20, 1 << 20);
  expect_contains(image_refusal(bytes), "1048576 x 1048576 pixels, at most 268435456");
  declare(1 << 14, 1 << 14);
  expect_contains(image_refusal(bytes), "truncated or damaged");
}

TEST(ReadJpeg, GreyIsReadWithinTheLossOfTheFormat) {
  for (const bool progressive : {false, true}) {
    const Bytes pixels = smooth(20, 12, 1);
    const Matrix<float> image = read_bytes(make_jpeg({.width = 20, .height = 12, .progressive = progressive}, pixels));
    ASSERT_EQ(image.rows(), 12U);
    ASSERT_EQ(image.cols(), 20U);
    for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_NEAR(image.data()[i], pixels[i], 2.0);
  }
}

TEST(ReadJpeg, ColourBecomesLuma) {
  for (const J_COLOR_SPACE stored : {JCS_YCbCr, JCS_RGB}) {
    const Bytes rgb = smooth(20, 12, 3);
    const Matrix<float> image =
        read_bytes(make_jpeg({.width = 20, .height = 12, .from = JCS_RGB, .stored = stored}, rgb));
    for (std::size_t i = 0; i < image.size(); ++i)
      EXPECT_NEAR(image.data()[i], expected_luma(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]), 3.0);
  }
}

TEST(ReadJpeg, CmykIsRefusedByName) {
  const Bytes bytes = make_jpeg({.width = 8, .height = 8, .from = JCS_CMYK, .stored = JCS_CMYK}, smooth(8, 8, 4));
  expect_contains(image_refusal(bytes), "CMYK");
}

// Every byte of the markers at the start, every seventh of what follows.
std::size_t next_place(std::size_t place) {
  return place + (place < 100 ? 1 : 7);
}

TEST(ReadJpeg, TruncationsAreRefused) {
  for (const bool progressive : {false, true}) {
    const Bytes whole = make_jpeg({.width = 24, .height = 24, .progressive = progressive}, ramp(24 * 24, 37));
    for (std::size_t n = 3; n < whole.size(); n = next_place(n))
      expect_contains(image_refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))), "JPEG");
  }
}

TEST(ReadJpeg, ManyScansAreRefused) {
  expect_contains(image_refusal(make_jpeg({.width = 24, .height = 24, .many_scans = true}, ramp(24 * 24, 37))),
                  "more than 100 scans");
}

TEST(ReadJpeg, DamageNeverPrints) {
  const Bytes whole = make_jpeg({.width = 24, .height = 24}, ramp(24 * 24, 37));
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  const TemporaryFolder folder;
  for (std::size_t i = 2; i < whole.size(); i = next_place(i)) {
    Bytes damaged = whole;
    damaged[i] = static_cast<unsigned char>(~damaged[i]);
    try {
      read_grey(folder.write("damaged", damaged));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
    }
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(ReadJpeg, DeclaredSizeIsCheckedBeforeAllocation) {
  Bytes bytes = make_jpeg({.width = 8, .height = 8}, smooth(8, 8, 1));
  const unsigned char start_of_frame[] = {0xff, 0xc0};
  const auto at = std::search(bytes.begin(), bytes.end(), start_of_frame, start_of_frame + 2);
  ASSERT_NE(at, bytes.end());
  std::fill(at + 5, at + 9, static_cast<unsigned char>(0xff));
  expect_contains(image_refusal(bytes), "65500");
  std::fill(at + 5, at + 9, static_cast<unsigned char>(0x2f));
  expect_contains(image_refusal(bytes), "12079 x 12079");
}

TEST(ReadPnm, TextAndBinaryAgree) {
  const Matrix<float> text = read_text("P2\n# a comment\n3 2 # another\n255\n0 1 2\n253 254 255\n");
  ASSERT_EQ(text.rows(), 2U);
  ASSERT_EQ(text.cols(), 3U);
  EXPECT_EQ(text(1, 0), 253.0F);
  const Matrix<float> binary = read_text(std::string("P5 3 2 255\n") + std::string("\x00\x01\x02\xfd\xfe\xff", 6));
  EXPECT_TRUE(text == binary);
}

TEST(ReadPnm, ColourBecomesLumaAndMaximumIsScaled) {
  EXPECT_EQ(read_text("P3 1 1 255 10 20 30")(0, 0), expected_luma(10, 20, 30));
  EXPECT_EQ(read_text("P6 1 1 255\n\x0a\x14\x1e")(0, 0), expected_luma(10, 20, 30));
  EXPECT_EQ(read_text("P2 1 1 15 15")(0, 0), 255.0F);
  EXPECT_EQ(read_text("P2 1 1 15 5")(0, 0), 85.0F);
  EXPECT_EQ(read_text("P5 2 1 65535\n\xff\xff\x01\x01")(0, 0), 255.0F);
  EXPECT_EQ(read_text("P5 2 1 65535\n\xff\xff\x01\x01")(0, 1), 1.0F);
}

TEST(ReadPnm, DamageIsRefused) {
  expect_contains(image_refusal("P5 3 2 255\nabc"), "truncated");
  expect_contains(image_refusal("P5 3 2 255"), "white space");
  expect_contains(image_refusal("P2 2 1 255 7 x"), "offset 13");
  expect_contains(image_refusal("P2 2 2 255 1 2 3     "), "ends too early");
  expect_contains(image_refusal("P2 1 1 10 11"), "larger than 10");
  expect_contains(image_refusal("P5 1 1 10\n\x0b"), "larger than the file's maximum 10");
  expect_contains(image_refusal("P5 1 1 0\n\x0b"), "1 to 65535");
  expect_contains(image_refusal("P5 1 1 65536\n\x0b"), "65535");
  expect_contains(image_refusal("P5 0 1 255\n"), "0 x 1 pixels");
  expect_contains(image_refusal("P5 1 0 255\n"), "1 x 0 pixels");
  expect_contains(image_refusal("P5 65536 65536 255\n"), "65536 x 65536 pixels, at most");
  expect_contains(image_refusal("P5 18446744073709551617 1 255\n"), "width");
  expect_contains(image_refusal("P5 16384 16384 255\n1"), "truncated or damaged");
  expect_contains(image_refusal("P5 -1 1 255\n1"), "width");
  expect_contains(image_refusal("P4 8 1\n1"), "P4");
  expect_contains(image_refusal("P7\nWIDTH 1\n"), "P7");
}

TEST(ReadImage, KeepsColoursOfEveryFormat) {
  const TemporaryFolder folder;
  const Bytes rgb = smooth(20, 12, 3);
  const std::string png =
      folder.write("a.png", make_png({.width = 20, .height = 12, .color_type = PNG_COLOR_TYPE_RGB}, rgb));
  const std::string jpeg =
      folder.write("a.jpg", make_jpeg({.width = 20, .height = 12, .from = JCS_RGB, .stored = JCS_YCbCr}, rgb));
  const std::string ppm = folder.write("a.ppm", "P6 20 12 255\n" + std::string(rgb.begin(), rgb.end()));
  for (const std::string& path : {png, jpeg, ppm}) {
    const Image image = read_image(path);
    ASSERT_EQ(image.channels, 3U) << path;
    ASSERT_EQ(image.width(), 20U);
    ASSERT_EQ(image.height(), 12U);
    for (std::size_t i = 0; i < rgb.size(); ++i)
      ASSERT_NEAR(image.pixels.data()[i], rgb[i], path == jpeg ? 4.0 : 0.0) << path;
  }
  const std::string grey = folder.write("g.png", make_png({.width = 5, .height = 3}, ramp(15)));
  const Image three = read_image(grey, ImageColor::kRgb);
  ASSERT_EQ(three.pixels.size(), 45U);
  for (std::size_t i = 0; i < 45; ++i) EXPECT_EQ(three.pixels.data()[i], ramp(15)[i / 3]);
}

TEST(WritePng, ColoursOfBothDepthsReadBack) {
  const TemporaryFolder folder;
  Image image{.pixels = Matrix<float>(2, 6), .channels = 3, .bits = 16};
  for (std::size_t i = 0; i < 12; ++i) image.pixels.data()[i] = static_cast<float>(i * 1000) / 257.0F;
  write_png(folder.path("deep.png"), image);
  const Image deep = read_image(folder.path("deep.png"));
  EXPECT_EQ(deep.bits, 16U);
  EXPECT_EQ(deep.channels, 3U);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(deep.pixels.data()[i], image.pixels.data()[i], 1e-5);
  image.bits = 8;
  write_png(folder.path("flat.png"), image);
  const Image flat = read_image(folder.path("flat.png"));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(flat.pixels.data()[i], std::round(image.pixels.data()[i]));
}

// A file of 3 x 2 pixels whose EXIF says how it was held; the corners of the picture that was meant are known.
TEST(ReadJpeg, IsTurnedUprightAsExifSays) {
  const Bytes plain = make_jpeg({.width = 24, .height = 16}, [] {
    Bytes pixels;
    for (unsigned y = 0; y < 16; ++y)
      for (unsigned x = 0; x < 24; ++x)
        pixels.push_back(static_cast<unsigned char>(x < 12 ? (y < 8 ? 0 : 80) : (y < 8 ? 160 : 240)));
    return pixels;
  }());
  const auto held = [&](unsigned char orientation, bool little) {
    Bytes tiff = little ? Bytes{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0}
                        : Bytes{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0};
    Bytes marker{0xff, 0xe1, 0, static_cast<unsigned char>(8 + tiff.size()), 'E', 'x', 'i', 'f', 0, 0};
    marker.insert(marker.end(), tiff.begin(), tiff.end());
    Bytes bytes(plain.begin(), plain.begin() + 2);
    bytes.insert(bytes.end(), marker.begin(), marker.end());
    bytes.insert(bytes.end(), plain.begin() + 2, plain.end());
    return read_bytes(bytes);
  };
  // Top left, top right, bottom left, bottom right.
  const float corners[9][4] = {{},  // there is no orientation 0
                               {0, 160, 80, 240},
                               {160, 0, 240, 80},
                               {240, 80, 160, 0},
                               {80, 240, 0, 160},
                               {0, 80, 160, 240},
                               {80, 0, 240, 160},
                               {240, 160, 80, 0},
                               {160, 240, 0, 80}};
  for (unsigned char orientation = 1; orientation <= 8; ++orientation) {
    for (const bool little : {false, true}) {
      const Matrix<float> image = held(orientation, little);
      ASSERT_EQ(image.rows(), orientation < 5 ? 16U : 24U);
      const std::size_t bottom = image.rows() - 1, right = image.cols() - 1;
      const float seen[4] = {image(0, 0), image(0, right), image(bottom, 0), image(bottom, right)};
      for (int c = 0; c < 4; ++c) EXPECT_NEAR(seen[c], corners[orientation][c], 4) << int{orientation} << " " << c;
    }
  }
  EXPECT_EQ(held(77, true).rows(), 16U);
}

TEST(ReadGreyImage, RefusesWhatIsNoImage) {
  expect_contains(image_refusal(std::string()), "empty");
  expect_contains(image_refusal("hello, this is text"), "neither PNG, JPEG, PGM nor PPM");
  expect_contains(image_refusal("P"), "neither");
  const TemporaryFolder folder;
  EXPECT_THROW(read_grey(folder.path("missing.png")), Error);
  EXPECT_THROW(read_grey(folder.path()), Error);
}

TEST(ReadGreyImage, GoesByContentNotByEnding) {
  const TemporaryFolder folder;
  const std::string path = folder.write("picture.jpg", make_png({.width = 5, .height = 3}, ramp(15)));
  EXPECT_EQ(read_grey(path).size(), 15U);
}

TEST(WriteGreyPng, ReadsBackRoundedAndClamped) {
  const TemporaryFolder folder;
  Matrix<float> image(2, 3);
  const float values[] = {0.0F, 127.4F, 127.6F, -5.0F, 300.0F, 255.0F};
  std::copy(std::begin(values), std::end(values), image.data());
  write_grey_png(folder.path("out.png"), image);
  const Matrix<float> back = read_grey(folder.path("out.png"));
  const float expected[] = {0.0F, 127.0F, 128.0F, 0.0F, 255.0F, 255.0F};
  ASSERT_EQ(back.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(back.data()[i], expected[i]);
}

TEST(WriteGreyPng, FailureLeavesNothingBehind) {
  const TemporaryFolder folder;
  const Matrix<float> image(2, 2);
  try {
    write_grey_png(folder.path("no such folder/out.png"), image);
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kWrite);
    expect_contains(error.what(), "out.png");
  }
  EXPECT_THROW(write_grey_png(folder.path("empty.png"), Matrix<float>()), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ReadGreyImage, ReadsPhotographs) {
  const char* data = std::getenv("DUALDICT_DATA");
  if (data == nullptr) GTEST_SKIP() << "set DUALDICT_DATA to the folder with bsds/ to run this test";
  std::size_t n_read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(data) + "/bsds/train")) {
    const Matrix<float> image = read_grey(entry.path().string());
    EXPECT_EQ(image.size(), 481U * 321U) << entry.path();
    const auto [low, high] = std::minmax_element(image.data(), image.data() + image.size());
    EXPECT_GE(*low, 0.0F);
    EXPECT_LE(*high, 255.0F);
    EXPECT_GT(*high - *low, 50.0F) << entry.path();
    if (++n_read == 10) break;
  }
  EXPECT_EQ(n_read, 10U);
}

}  // namespace
}  // namespace dualdict
