// SPDX-License-Identifier: BSD-3-Clause
#include "learn/extrapolation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dualdict {
namespace {

// A longer lead overshoots more often than it saves.
constexpr double kLargestMomentum = 0.95;

// a + momentum (a - previous); previous becomes the old a.
void advance(Matrix<double>& a, Matrix<double>& previous, double momentum) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double now = a.data()[i];
    a.data()[i] += momentum * (now - previous.data()[i]);
    previous.data()[i] = now;
  }
}

}  // namespace

bool Extrapolation::lead(Matrix<double>& dictionary, Matrix<double>& dual) {
  if (!has_direction_) {
    dictionary_ = dictionary;
    dual_ = dual;
    has_direction_ = true;
    weight_ = 1;
    return false;
  }
  const double next = (1 + std::sqrt(1 + 4 * weight_ * weight_)) / 2;
  const double momentum = std::min(kLargestMomentum, (weight_ - 1) / next);
  weight_ = next;
  advance(dictionary, dictionary_, momentum);
  advance(dual, dual_, momentum);
  return momentum > 0;
}

void Extrapolation::restart() {
  has_direction_ = false;
}

}  // namespace dualdict
