// SPDX-License-Identifier: BSD-3-Clause
// The tolerances of the tests, by scalar type, in one place.
#pragma once

#include <limits>

namespace dualdict {

template <class T>
struct Tolerance;

template <>
struct Tolerance<float> {
  static constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
  static constexpr double kEnergy = 1e-6;  // reported E against E recomputed in double
  static constexpr double kRise = 1e-6;    // of E over a block step
  static constexpr double kBall = 1e-6;    // of a norm above 1
  static constexpr double kKkt = 1e-3;     // of a code solved as well as the type allows, in units of tau/K
  static constexpr double kCode = 2e-4;    // between codes of two methods, relative to the largest
};

template <>
struct Tolerance<double> {
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  static constexpr double kEnergy = 1e-10;
  static constexpr double kRise = 1e-12;
  static constexpr double kBall = 1e-12;
  static constexpr double kKkt = 1e-8;
  static constexpr double kCode = 1e-7;
};

}  // namespace dualdict
