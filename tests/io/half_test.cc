// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/half.h"

#include <gtest/gtest.h>

namespace dualdict {
namespace {

TEST(Half, EveryNumberComesBackFromFloat) {
  for (unsigned half = 0; half < 65536; ++half) {
    const float value = half_to_float(static_cast<std::uint16_t>(half));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value))));
    else
      EXPECT_EQ(float_to_half(value), half) << value;
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (unsigned half = 0; half < 0x7bff; ++half) {  // up to the last finite one but one
    const float low = half_to_float(static_cast<std::uint16_t>(half));
    const float high = half_to_float(static_cast<std::uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(float_to_half(middle), half % 2 == 0 ? half : half + 1) << middle;
    EXPECT_EQ(float_to_half(std::nextafter(middle, 0.0F)), half);
    EXPECT_EQ(float_to_half(-std::nextafter(middle, 1e6F)), (half + 1) | 0x8000U);
  }
}

TEST(Half, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(half_to_float(float_to_half(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(half_to_float(float_to_half(65520.0F))));
  EXPECT_TRUE(std::isinf(half_to_float(float_to_half(-1e30F))));
}

}  // namespace
}  // namespace dualdict
