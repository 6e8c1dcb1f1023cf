// SPDX-License-Identifier: BSD-3-Clause
// IEEE 754 binary16 and float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dualdict {

inline float half_to_float(std::uint16_t half) {
  const unsigned exponent = (half >> 10) & 0x1fU;
  const unsigned fraction = half & 0x3ffU;
  float magnitude = 0;
  if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction + 1024U), static_cast<int>(exponent) - 25);
  }
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

// The nearest, ties to even; what is too large is infinite.
inline std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  if (std::isnan(value)) return sign | 0x7e00U;
  if (magnitude >= 65520.0F) return sign | 0x7c00U;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  // Steps of 2^(exponent - 11), those of the smallest normal numbers below them.
  const int step = (exponent < -13 ? -13 : exponent) - 11;
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  // `steps` has its leading bit at 1024 where the number is normal; a carry moves into the exponent by itself.
  const std::uint32_t biased = static_cast<std::uint32_t>(step + 24);
  return static_cast<std::uint16_t>(sign | ((biased << 10) + steps));
}

}  // namespace dualdict
