// SPDX-License-Identifier: BSD-3-Clause
// Every legal corner of data, shapes and weights ends with a proper outcome and finite numbers.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "learn/corner_samples.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

// 400 corners drawn from the full grid of data, shapes, weights, precisions and solvers.
TEST(Corners, EveryOneHasADefinedResult) {
  constexpr std::array<double, 5> kTaus{0, 1e-30, 0.1, -1, 1e30};  // -1: tau_max, nearly
  constexpr std::array<double, 4> kEtas{0, 1e-12, 1, 1e12};
  Random random(1);
  for (int corner = 0; corner < 400; ++corner) {
    const std::size_t d = std::array<std::size_t, 3>{1, 2, 16}[random.index(3)];
    const std::size_t n = std::array<std::size_t, 3>{1, 2, 60}[random.index(3)];
    const std::size_t k = std::array<std::size_t, 4>{1, d, 4 * d, n + 5}[random.index(4)];
    const auto kind = static_cast<CornerKind>(random.index(static_cast<std::size_t>(CornerKind::kCount)));
    const Matrix<double> samples = corner_samples(kind, n, d, random.next(), 1e-12);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, norm(samples.row(i), d));
    LearnOptions options =
        small_options(k, kTaus[random.index(5)], random.index(2) == 0 ? Solver::kFast : Solver::kFista,
                      random.index(2) == 0 ? DType::kFloat32 : DType::kFloat64);
    options.eta = kEtas[random.index(4)];
    if (*options.tau < 0) options.tau = (static_cast<double>(k) / static_cast<double>(d) + *options.eta) * largest;
    options.positive_codes = random.index(4) == 0;
    options.positive_dictionary = random.index(4) == 0;
    options.max_iterations = 4;
    options.n_threads = 1;
    const LearnResult result = fit(samples, options);
    const std::string where = "corner " + std::to_string(corner) + ": kind " + std::to_string(static_cast<int>(kind)) +
                              ", N " + std::to_string(n) + ", d " + std::to_string(d) + ", K " + std::to_string(k) +
                              ", tau " + std::to_string(*options.tau) + ", " + describe(options);
    const LearnSummary& summary = result.summary;
    ASSERT_NE(summary.outcome, Outcome::kNumericalFailure) << where;
    ASSERT_TRUE(all_finite(result.model.dictionary()) && all_finite(result.model.dual())) << where;
    ASSERT_LE(largest_row_norm(result.model.dictionary()), 1 + ball_tolerance(options.dtype)) << where;
    ASSERT_LE(largest_row_norm(result.model.dual()), 1 + ball_tolerance(options.dtype)) << where;
    ASSERT_TRUE(std::isfinite(summary.energy.total()) && std::isfinite(summary.duality_gap)) << where;
    ASSERT_TRUE(std::isfinite(summary.max_kkt_residual) && std::isfinite(summary.tau_max)) << where;
    // No code is worse than none.
    ASSERT_LE(summary.energy.reconstruction + summary.energy.l1 + summary.energy.l2,
              (squared_norm(samples) / static_cast<double>(d) +
               *options.eta / static_cast<double>(k) * static_cast<double>(k) * squared_norm(samples)) *
                  (1 + 1e-5))
        << where;
    if (kind == CornerKind::kZero) {
      ASSERT_EQ(summary.energy.total(), 0.0) << where;
    }
  }
}

}  // namespace
}  // namespace dualdict
