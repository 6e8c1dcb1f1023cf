// SPDX-License-Identifier: BSD-3-Clause
// About how long the end of a fit takes, so that it has its part of a limit of time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "learn/fit/result_size.h"

namespace dualdict {

struct EndSize {
  std::size_t n_samples = 0;
  std::size_t n_features = 0;
  std::size_t n_atoms = 0;
  std::size_t n_threads = 1;
  bool many_atoms = false;  // with penalty l0
};

// Of many atoms with penalty l0: levels, greedy codes of some samples and the table.
inline double seconds_to_end_many_atoms(const EndSize& size) {
  constexpr double kRounds = 1.2e-9, kSamples = 60000;
  const double n = std::min(kSamples, 3 * static_cast<double>(size.n_samples));
  return n * kRounds * static_cast<double>(size.n_atoms) * static_cast<double>(size.n_features) /
         static_cast<double>(size.n_threads);
}

// Seconds. The constants are those of one core at 2.6 GHz with AVX-512 (20,000 x 144, K = 1,024: 11 s for the
// encoders, 1.5 s for the codes); the share of the limit that may be kept back bounds what they are wrong by elsewhere.
inline double seconds_to_fit_encoders(const EndSize& size) {
  if (size.many_atoms) return seconds_to_end_many_atoms(size);
  constexpr double kThreshold = 0.9e-6, kProduct = 2e-9, kMeasure = 1e-7, kRegression = 2e-10;
  const auto d = static_cast<double>(size.n_features);
  const auto k = static_cast<double>(size.n_atoms);
  const auto n_fit = static_cast<double>(std::min(size.n_samples, fit_samples(size.n_features)));
  const auto n_measured = static_cast<double>(measure_samples(size.n_atoms, size.n_features));
  const double regressors = std::min(k + d, n_fit);
  const double all = n_fit * k * (kThreshold + d * kProduct) + n_measured * k * (10 * kMeasure + 10 * d * kProduct) +
                     kRegression * regressors * regressors * (k + d);
  return all / static_cast<double>(size.n_threads);
}

inline double seconds_to_code_exactly(const EndSize& size) {
  if (size.many_atoms) return 0;  // only some are coded, in the time of the encoders
  constexpr double kSweeps = 5e-8, kProduct = 2e-10;
  const double elements = static_cast<double>(size.n_samples) * static_cast<double>(size.n_atoms);
  return elements * (kSweeps + static_cast<double>(size.n_features) * kProduct) / static_cast<double>(size.n_threads);
}

// Of a limit of time, for what comes after learning: never more than half of it.
inline double seconds_to_keep_back(double time_limit, const EndSize& size) {
  constexpr double kCare = 1.3, kMost = 0.5;
  return std::min(kMost * time_limit, kCare * (seconds_to_code_exactly(size) + seconds_to_fit_encoders(size)));
}

}  // namespace dualdict
