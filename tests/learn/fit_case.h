// SPDX-License-Identifier: BSD-3-Clause
// Small fits, and what a test wants to know of their results.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dualdict/learn.h"
#include "linalg/vectors.h"
#include "problems/planted.h"
#include "problems/random_matrix.h"
#include "reference/naive_lasso.h"
#include "reference/tolerance.h"

namespace dualdict {

// Samples whose numbers are float32 numbers, so that both precisions learn from the same data.
inline Matrix<double> planted_samples(std::size_t n, std::size_t d, std::size_t k, std::uint64_t seed) {
  return convert<double>(convert<float>(make_planted(n, d, k, 3, 0.05, seed).samples));
}
inline Matrix<double> random_samples(std::size_t n, std::size_t d, std::uint64_t seed) {
  return convert<double>(random_matrix<float>(n, d, seed));
}

inline LearnOptions small_options(std::size_t n_atoms, double tau, Solver solver = Solver::kFast,
                                  DType dtype = DType::kFloat32) {
  LearnOptions options;
  options.n_atoms = n_atoms;
  options.penalty = Penalty::kL1;
  options.tau = tau;
  options.solver = solver;
  options.dtype = dtype;
  options.n_threads = 2;
  return options;
}

inline LearnResult fit(const Matrix<double>& samples, const LearnOptions& options, const LearnContext& context = {}) {
  return learn(*make_source(samples.view()), options, context);
}

inline Objective objective_of(const LearnResult& result) {
  Objective objective;
  objective.n_features = result.model.n_features();
  objective.n_atoms = result.model.n_atoms();
  objective.tau = result.summary.tau;
  objective.eta = result.model.parts().eta;
  objective.mu = result.summary.given.mu;
  objective.positive_codes = result.summary.given.positive_codes;
  objective.atoms = atom_set_of(result.summary.given);
  return objective;
}

// The exact codes of the samples under the model's D and C.
inline Matrix<double> codes_of(const LearnResult& result, const Matrix<double>& samples) {
  return naive_codes(objective_of(result), result.model.dictionary(), result.model.dual(), samples, 1e-12, 5000);
}

inline double largest_row_norm(const Matrix<double>& rows) {
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) largest = std::max(largest, norm(rows.row(i), rows.cols()));
  return largest;
}

inline bool all_finite(const Matrix<double>& m) {
  for (std::size_t i = 0; i < m.size(); ++i)
    if (!std::isfinite(m.data()[i])) return false;
  return true;
}

inline double rise_tolerance(DType dtype) {
  return dtype == DType::kFloat32 ? Tolerance<float>::kRise : Tolerance<double>::kRise;
}
inline double energy_tolerance(DType dtype) {
  return dtype == DType::kFloat32 ? Tolerance<float>::kEnergy : Tolerance<double>::kEnergy;
}
inline double ball_tolerance(DType dtype) {
  return dtype == DType::kFloat32 ? Tolerance<float>::kBall : Tolerance<double>::kBall;
}

inline std::string describe(const LearnOptions& options) {
  return std::string(options.solver == Solver::kFast ? "fast" : "fista") +
         (options.dtype == DType::kFloat32 ? ", float32" : ", float64") + ", eta " +
         std::to_string(options.eta.value_or(NAN)) + ", mu " + std::to_string(options.mu) +
         (options.positive_codes ? ", positive codes" : "") +
         (options.positive_dictionary ? ", positive dictionary" : "");
}

// No block step raises E, and no iteration ends above the one before; a replaced atom excepted.
inline void expect_no_step_raises_energy(const LearnSummary& summary, const LearnOptions& options) {
  const double slack = 1 + rise_tolerance(options.dtype);
  double previous = INFINITY;
  for (const IterationRecord& record : summary.iterations) {
    const std::string where = describe(options) + ", iteration " + std::to_string(record.iteration);
    EXPECT_LE(record.energy_after_codes, record.energy_before_codes * slack) << where;
    if (record.replaced_atoms == 0) {
      EXPECT_LE(record.energy_after_dictionary, record.energy_after_codes * slack) << where;
      EXPECT_LE(record.energy.total(), previous * slack) << where;
    }
    EXPECT_LE(record.energy.total(), record.energy_after_dictionary * slack) << where;
    previous = record.energy.total();
  }
}

}  // namespace dualdict
