// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dualdict/error.h"
#include "report/mosaic_tiles.h"

namespace dualdict {
namespace {

// Atom i of a 2 x 2 picture: its top left value has the largest magnitude, the others are fractions that tell i.
Matrix<double> atoms(std::size_t n, double sign) {
  Matrix<double> values(n, 4);
  for (std::size_t i = 0; i < n; ++i) {
    values(i, 0) = sign * static_cast<double>(i + 1);
    values(i, 1) = static_cast<double>(i + 1) * static_cast<double>(i) / 127.0;
  }
  return values;
}

// The number of the atom at a tile: what atoms() put at the top right, in grey values above zero.
std::size_t atom_at(const Matrix<float>& picture, std::size_t row, std::size_t column, std::size_t left = 0) {
  return static_cast<std::size_t>(std::lround(picture(1 + 3 * row, left + 1 + 3 * column + 1) - 128.0F));
}

constexpr SampleShape kTwoByTwo{2, 2};

TEST(Mosaic, ChannelsOfColourPicturesAreSideBySide) {
  constexpr std::size_t kHeight = 2, kWidth = 3;
  Matrix<double> colours(1, kHeight * kWidth * 3), apart(1, kHeight * kWidth * 3);
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x)
      for (std::size_t c = 0; c < 3; ++c) {
        const double value = static_cast<double>(100 * c + 10 * y + x) - 90;
        colours(0, (y * kWidth + x) * 3 + c) = value;
        apart(0, y * 3 * kWidth + c * kWidth + x) = value;
      }
  const MosaicOptions options{.zoom = 1};
  EXPECT_EQ(draw_tiles(colours, colours, {}, {kHeight, kWidth, 3}, options),
            draw_tiles(apart, apart, {}, {kHeight, 3 * kWidth}, options));
}

TEST(Mosaic, MostUsedFirstColumnByColumn) {
  const std::vector<std::size_t> usage{5, 9, 0, 9, 7, 1};
  const Matrix<float> picture = draw_tiles(atoms(6, 1), atoms(6, -1), usage, kTwoByTwo, {.zoom = 1, .columns = 3});
  ASSERT_EQ(picture.rows(), 2U * 3 + 1);
  const std::size_t expected[] = {1, 3, 4, 0, 5, 2};
  const std::size_t right = picture.cols() - (3 * 3 + 1);
  ASSERT_GT(right, 3U * 3 + 1);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(atom_at(picture, i % 2, i / 2), expected[i]);
    EXPECT_EQ(atom_at(picture, i % 2, i / 2, right), expected[i]) << "the dual is in another order";
  }
}

TEST(Mosaic, WithoutUsageInTheOrderOfTheRows) {
  const Matrix<float> picture = draw_tiles(atoms(4, 1), atoms(4, 1), {}, kTwoByTwo, {.zoom = 1, .columns = 2});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(atom_at(picture, i % 2, i / 2), i);
}

TEST(Mosaic, TilesAreScaledToTheirLargestValueAndZeroIsGrey) {
  const Matrix<float> picture = draw_tiles(atoms(4, 1), atoms(4, -1), {}, kTwoByTwo, {.zoom = 1, .columns = 2});
  const std::size_t right = picture.cols() - (2 * 3 + 1);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t column = 0; column < 2; ++column) {
      EXPECT_EQ(picture(1 + 3 * row, 1 + 3 * column), 255.0F);
      EXPECT_EQ(picture(1 + 3 * row, right + 1 + 3 * column), 1.0F);
      EXPECT_EQ(picture(2 + 3 * row, 1 + 3 * column), 128.0F);
    }
  const Matrix<float> nothing =
      draw_tiles(Matrix<double>(1, 4), Matrix<double>(1, 4), {}, kTwoByTwo, {.zoom = 1, .columns = 0});
  EXPECT_EQ(nothing(1, 1), 128.0F);
}

TEST(Mosaic, LinesSeparateTilesAndUnusedPlacesStayEmpty) {
  const Matrix<float> picture = draw_tiles(atoms(3, -1), atoms(3, -1), {}, kTwoByTwo, {.zoom = 2, .columns = 2});
  ASSERT_EQ(picture.rows(), 2U * 5 + 1);
  for (std::size_t x = 0; x < picture.cols(); ++x)
    for (const std::size_t y : {0U, 5U, 10U}) EXPECT_EQ(picture(y, x), 255.0F);
  for (std::size_t y = 6; y < 10; ++y)
    for (std::size_t x = 6; x < 10; ++x) EXPECT_EQ(picture(y, x), 255.0F);
  EXPECT_EQ(picture(1, 1), 1.0F);
  EXPECT_EQ(picture(2, 2), 1.0F) << "zoom";
}

TEST(Mosaic, DefaultIsNearlySquareAndAboutAThousandHigh) {
  for (const std::size_t n : {1U, 10U, 50U, 200U, 500U}) {
    const Matrix<double> values(n, 144);
    const Matrix<float> picture = draw_tiles(values, values, {}, {12, 12}, {});
    EXPECT_GT(picture.rows(), 700U) << n;
    EXPECT_LT(picture.rows(), 1400U) << n;
    const double ratio = static_cast<double>(picture.cols()) / static_cast<double>(picture.rows());
    EXPECT_GT(ratio, 1.4) << n;
    EXPECT_LT(ratio, 3.0) << n;
  }
}

TEST(Mosaic, SamplesThatAreNoPicturesBecomeSquaresOrStrips) {
  const Matrix<double> square(4, 9);
  EXPECT_EQ(draw_tiles(square, square, {}, {}, {.zoom = 1, .columns = 2}).rows(), 2U * 4 + 1);
  Matrix<double> strip(1, 20);
  strip(0, 19) = -1;
  const Matrix<float> picture = draw_tiles(strip, strip, {}, {}, {.zoom = 1, .columns = 1});
  ASSERT_EQ(picture.rows(), 2U + 2);
  EXPECT_EQ(picture(1, 20), 1.0F);
  EXPECT_EQ(picture(2, 20), 1.0F);
  EXPECT_EQ(picture(2, 19), 128.0F);
  const Matrix<double> one(3, 1);
  EXPECT_FALSE(draw_tiles(one, one, {}, {}, {}).empty());
  const Matrix<double> wide(200, 5000);
  EXPECT_FALSE(draw_tiles(wide, wide, {}, {}, {}).empty());
}

TEST(Mosaic, RefusesWhatCannotBeDrawn) {
  const Matrix<double> four = atoms(4, 1);
  EXPECT_THROW(draw_tiles(four, atoms(3, 1), {}, kTwoByTwo, {}), Error);
  EXPECT_THROW(draw_tiles(Matrix<double>(), Matrix<double>(), {}, {}, {}), Error);
  EXPECT_THROW(draw_tiles(four, four, {1, 2}, kTwoByTwo, {}), Error);
  EXPECT_THROW(draw_tiles(four, four, {}, {3, 2}, {}), Error);
  EXPECT_THROW(draw_tiles(four, four, {}, {4, 0}, {}), Error);
  for (const std::size_t zoom : {std::size_t{20000}, std::size_t{1} << 28, std::numeric_limits<std::size_t>::max()})
    EXPECT_THROW(draw_tiles(four, four, {}, kTwoByTwo, {.zoom = zoom, .columns = 0}), Error) << zoom;
}

}  // namespace
}  // namespace dualdict
