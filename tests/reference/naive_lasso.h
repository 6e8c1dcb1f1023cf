// SPDX-License-Identifier: BSD-3-Clause
// The exact code by plain coordinate descent in double, run for long.
#pragma once

#include "reference/naive_objective.h"

namespace dualdict {

// One sample's code, from zero, until no coordinate moves by more than `still` of the largest.
inline std::vector<double> naive_code(const Objective& objective, const Matrix<double>& gram,
                                      const std::vector<double>& b, double still = 1e-15, int max_sweeps = 200000) {
  const std::size_t n = b.size();
  const double lambda = objective.lambda();
  std::vector<double> u(n);
  std::vector<double> r = b;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    double moved = 0;
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (!(gram(j, j) > 0)) continue;
      const double z = r[j] + gram(j, j) * u[j];
      double target = 0;
      if (z > lambda) target = (z - lambda) / gram(j, j);
      if (!objective.positive_codes && z < -lambda) target = (z + lambda) / gram(j, j);
      const double step = target - u[j];
      u[j] = target;
      if (step != 0)
        for (std::size_t k = 0; k < n; ++k) r[k] -= step * gram(j, k);
      moved = std::max(moved, std::abs(step));
      largest = std::max(largest, std::abs(target));
    }
    if (moved <= still * largest) break;
  }
  return u;
}

// H = D D'/d + (eta + mu)/K I for atoms in rows.
inline Matrix<double> naive_gram(const Objective& objective, const Matrix<double>& dictionary) {
  Matrix<double> gram = naive_product(dictionary, naive_transpose(dictionary));
  for (std::size_t i = 0; i < gram.rows(); ++i)
    for (std::size_t j = 0; j < gram.cols(); ++j)
      gram(i, j) = gram(i, j) / objective.d() + (i == j ? objective.ridge() : 0.0);
  return gram;
}

inline Matrix<double> naive_codes(const Objective& objective, const Matrix<double>& dictionary,
                                  const Matrix<double>& dual, const Matrix<double>& samples, double still = 1e-15,
                                  int max_sweeps = 200000) {
  const Matrix<double> gram = naive_gram(objective, dictionary);
  const std::vector<double> zero(dictionary.rows());
  Matrix<double> codes(samples.rows(), dictionary.rows());
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    const std::vector<double> b = naive_pull(objective, dictionary, dual, samples.row(i), zero.data());
    const std::vector<double> u = naive_code(objective, gram, b, still, max_sweeps);
    std::copy(u.begin(), u.end(), codes.row(i));
  }
  return codes;
}

}  // namespace dualdict
