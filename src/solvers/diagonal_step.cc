// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/diagonal_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/vectors.h"

namespace dualdict {

void DiagonalStep::begin(std::size_t n_samples, double window) {
  const auto n = static_cast<double>(n_samples);
  const double share = state_.n_seen / (state_.n_seen + n);
  fading_ = std::min(share * share, 1 - 1 / window);
  state_.n_seen += n;
}

void DiagonalStep::move(std::size_t atom, const float* direction, double squares, float* row, std::size_t n_features) {
  double& curvature = state_.curvature[atom];
  curvature = fading_ * curvature + squares;
  if (!(squares > 0)) return;
  const auto by = static_cast<float>(1 / curvature);
  for (std::size_t f = 0; f < n_features; ++f) row[f] += by * direction[f];
  const double length = norm(row, n_features);
  if (!(length > 0)) return;
  const auto inverse = static_cast<float>(1 / length);
  for (std::size_t f = 0; f < n_features; ++f) row[f] *= inverse;
}

double DiagonalStep::mean() const {
  return std::accumulate(state_.curvature.begin(), state_.curvature.end(), 0.0) /
         static_cast<double>(state_.curvature.size());
}

std::vector<std::size_t> DiagonalStep::unused() const {
  constexpr double kUnused = 1e-3;  // of the mean
  const double limit = kUnused * mean();
  std::vector<std::size_t> atoms;
  for (std::size_t k = 0; k < state_.curvature.size(); ++k)
    if (state_.curvature[k] < limit) atoms.push_back(k);
  return atoms;
}

void DiagonalStep::forget(std::size_t atom) {
  state_.curvature[atom] = mean();
}

}  // namespace dualdict
