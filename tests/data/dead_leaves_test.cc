// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "dualdict/data.h"
#include "dualdict/error.h"

namespace dualdict {
namespace {

// Power of the rows at a frequency (cycles per row), averaged over the rows.
double row_power(const Matrix<float>& image, std::size_t frequency) {
  double power = 0;
  for (std::size_t y = 0; y < image.rows(); ++y) {
    std::complex<double> sum = 0;
    for (std::size_t x = 0; x < image.cols(); ++x)
      sum += static_cast<double>(image(y, x)) *
             std::polar(
                 1.0, -2.0 * std::numbers::pi * static_cast<double>(frequency * x) / static_cast<double>(image.cols()));
    power += std::norm(sum);
  }
  return power / static_cast<double>(image.rows());
}

TEST(DeadLeaves, CoversEveryPixel) {
  for (const std::size_t size : {1U, 2U, 7U, 64U, 200U})
    for (const Matrix<float>& image : generate_dead_leaves(3, size, 5)) {
      ASSERT_EQ(image.rows(), size);
      ASSERT_EQ(image.cols(), size);
      for (std::size_t i = 0; i < image.size(); ++i) {
        EXPECT_GE(image.data()[i], 0.0F);
        EXPECT_LE(image.data()[i], 255.0F);
        EXPECT_NE(image.data()[i], 127.5F) << "the grey of a pixel that no disc reached";
      }
    }
}

TEST(DeadLeaves, SameSeedSameImagesOtherSeedOthers) {
  const auto images = generate_dead_leaves(3, 50, 9);
  EXPECT_TRUE(images == generate_dead_leaves(3, 50, 9));
  EXPECT_TRUE(images[1] == generate_dead_leaves(2, 50, 9)[1]) << "an image depends on how many are asked for";
  EXPECT_FALSE(images[0] == images[1]);
  EXPECT_FALSE(images[0] == generate_dead_leaves(1, 50, 10)[0]);
}

TEST(DeadLeaves, GradientHasHeavyTails) {
  double second = 0;
  double fourth = 0;
  double n = 0;
  for (const Matrix<float>& image : generate_dead_leaves(4, 200, 1))
    for (std::size_t y = 0; y < 200; ++y)
      for (std::size_t x = 1; x < 200; ++x) {
        const double step = image(y, x) - image(y, x - 1);
        second += step * step;
        fourth += step * step * step * step;
        ++n;
      }
  // Gaussian noise has 3, uniform noise 2.4, photographs 10 and more.
  EXPECT_GT(fourth * n / (second * second), 9.0);
}

TEST(DeadLeaves, PowerFallsWithFrequency) {
  std::vector<double> power;  // of the octaves 2..3, 4..7, 8..15, ...
  for (std::size_t low = 2; low <= 64; low *= 2) {
    double sum = 0;
    for (const Matrix<float>& image : generate_dead_leaves(4, 256, 2))
      for (std::size_t f = low; f < 2 * low; ++f) sum += row_power(image, f);
    power.push_back(sum / static_cast<double>(low));
  }
  for (std::size_t i = 1; i < power.size(); ++i) EXPECT_LT(power[i], power[i - 1] / 1.5) << "octave " << i;
  // White noise has 1. A fall as 1/f^2 over these five octaves has 1024.
  EXPECT_GT(power.front() / power.back(), 200.0);
}

TEST(DeadLeaves, RefusesImpossibleSizes) {
  EXPECT_THROW(generate_dead_leaves(1, 0, 0), Error);
  EXPECT_THROW(generate_dead_leaves(1, 1000000, 0), Error);
  EXPECT_TRUE(generate_dead_leaves(0, 10, 0).empty());
}

}  // namespace
}  // namespace dualdict
