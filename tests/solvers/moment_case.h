// SPDX-License-Identifier: BSD-3-Clause
// Samples with codes, and the moments of them made by plain loops.
#pragma once

#include <cmath>

#include "problems/random_matrix.h"
#include "reference/naive_objective.h"

namespace dualdict {

inline Moments naive_moments(const Matrix<double>& samples, const Matrix<double>& codes) {
  Moments moments;
  const Matrix<double> ut = naive_transpose(codes);
  moments.uu = naive_product(ut, codes);
  moments.ux = naive_product(ut, samples);
  moments.xx = naive_product(naive_transpose(samples), samples);
  for (std::size_t i = 0; i < samples.size(); ++i) moments.squared_samples += samples.data()[i] * samples.data()[i];
  for (std::size_t i = 0; i < codes.size(); ++i) moments.sum_abs_codes += std::abs(codes.data()[i]);
  return moments;
}

struct MomentCase {
  Objective objective;
  Matrix<double> dictionary, dual, samples, codes;
  Moments moments;

  // Codes with a third of their elements nonzero.
  MomentCase(std::size_t n, std::size_t d, std::size_t k, std::uint64_t seed)
      : dictionary(random_unit_rows(k, d, seed)),
        dual(random_unit_rows(k, d, seed + 1)),
        samples(random_matrix<double>(n, d, seed + 2)),
        codes(random_matrix<double>(n, k, seed + 3)) {
    objective.n_features = d;
    objective.n_atoms = k;
    objective.tau = 0.3;
    objective.eta = 1;
    Random random(seed + 4);
    for (std::size_t i = 0; i < codes.size(); ++i)
      if (random.index(3) != 0) codes.data()[i] = 0;
    refresh();
  }
  void refresh() { moments = naive_moments(samples, codes); }
  Energy energy() const { return naive_energy(objective, dictionary, dual, samples, codes); }
};

}  // namespace dualdict
