// SPDX-License-Identifier: BSD-3-Clause
// Samples of every awkward kind: zero, constant, repeated, of rank one, tiny, huge.
#pragma once

#include "learn/fit_case.h"

namespace dualdict {

enum class CornerKind { kNormal, kZero, kConstant, kRepeated, kRankOne, kOneHot, kTiny, kHuge, kCount };

// Tiny samples are `small` times ordinary ones, huge ones ordinary ones divided by it.
inline Matrix<double> corner_samples(CornerKind kind, std::size_t n, std::size_t d, std::uint64_t seed, double small) {
  Matrix<double> x = random_samples(n, d, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < d; ++f) {
      double& value = x(i, f);
      if (kind == CornerKind::kZero) value = 0;
      if (kind == CornerKind::kConstant) value = 3;
      if (kind == CornerKind::kRepeated) value = x(0, f);
      if (kind == CornerKind::kRankOne) value = static_cast<double>(i + 1) * static_cast<double>(f + 1) / 64;
      if (kind == CornerKind::kOneHot) value = i % d == f ? 1 : 0;
      if (kind == CornerKind::kTiny) value *= small;
      if (kind == CornerKind::kHuge) value /= small;
    }
  }
  return x;
}

}  // namespace dualdict
