// SPDX-License-Identifier: BSD-3-Clause
// A model learned by a few plain alternations, for tests that need one that fits its data.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/random.h"
#include "dualdict/model.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "solvers/code_step.h"
#include "solvers/dictionary_step.h"
#include "solvers/dual_step.h"

namespace dualdict {

inline Objective objective_of(const ModelParts& parts) {
  return {.n_features = parts.dictionary.cols(),
          .n_atoms = parts.dictionary.rows(),
          .tau = parts.tau,
          .eta = parts.eta,
          .mu = parts.mu,
          .positive_codes = parts.positive_codes};
}

inline Matrix<double> solve_codes(const ModelParts& parts, const Matrix<double>& samples, double tolerance) {
  CodeProblem<double> problem;
  problem.assign(objective_of(parts), parts.dictionary, parts.dual);
  CodeWorkspace<double> work;
  Matrix<double> codes(samples.rows(), parts.dictionary.rows());
  for (std::size_t first = 0; first < samples.rows(); first += kBlockSamples) {
    const std::size_t n = std::min(kBlockSamples, samples.rows() - first);
    code_step<double>(problem, samples.view().row_range(first, n), {CodeMethod::kDescent, tolerance, 2000}, work,
                      codes.view().row_range(first, n));
  }
  return codes;
}

// `start`: tau, eta, mu, positive_codes, dtype; D = `dictionary` and C = D' to begin with.
inline ModelParts learn_briefly(ModelParts start, const Matrix<double>& dictionary, const Matrix<double>& samples,
                                int iterations) {
  ModelParts parts = std::move(start);
  parts.dictionary = dictionary;
  parts.dual = dictionary;
  Moments moments;
  moments.xx = transposed_multiply<double>(samples.view(), samples.view());
  moments.squared_samples = squared_norm(samples);
  const DualSolver dual_solver(moments.xx, 1e-6);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const Matrix<double> codes = solve_codes(parts, samples, 1e-2);
    moments.uu = transposed_multiply<double>(codes.view(), codes.view());
    moments.ux = transposed_multiply<double>(codes.view(), samples.view());
    moments.sum_abs_codes = sum_abs(codes.data(), codes.size());
    dictionary_step_fast(objective_of(parts), moments, {.gap_tolerance = 0, .max_passes = 5}, parts.dictionary);
    dual_solver.step(objective_of(parts), moments, parts.dual);
  }
  double total = 0;
  for (std::size_t i = 0; i < samples.rows(); ++i) total += norm(samples.row(i), samples.cols());
  parts.mean_norm = samples.rows() > 0 ? total / static_cast<double>(samples.rows()) : 1.0;
  if (parts.dtype == DType::kFloat32) {
    parts.dictionary = convert<double>(convert<float>(parts.dictionary));
    parts.dual = convert<double>(convert<float>(parts.dual));
  }
  return parts;
}

}  // namespace dualdict
