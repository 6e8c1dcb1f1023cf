// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/extrapolation.h"

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
  if (!state_.has_direction) {
    state_.dictionary = dictionary;
    state_.dual = dual;
    state_.has_direction = true;
    return false;
  }
  const double next = (1 + std::sqrt(1 + 4 * state_.weight * state_.weight)) / 2;
  const double momentum = std::min(kLargestMomentum, (state_.weight - 1) / next);
  state_.weight = next;
  advance(dictionary, state_.dictionary, momentum);
  advance(dual, state_.dual, momentum);
  return momentum > 0;
}

void Extrapolation::restart(double weight) {
  state_.has_direction = false;
  state_.weight = weight;
}

}  // namespace dualdict
