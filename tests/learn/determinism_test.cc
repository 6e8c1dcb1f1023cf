// SPDX-License-Identifier: BSD-3-Clause
// The same bits, whatever the machine does; and exact symmetries.
#include <gtest/gtest.h>

#include "learn/fit_case.h"

namespace dualdict {
namespace {

// More than three blocks of samples, the last one not full, and few enough atoms used that some get replaced.
Matrix<double> several_blocks() {
  return planted_samples(900, 12, 16, 3);
}

LearnOptions options_for(Solver solver, DType dtype) {
  LearnOptions options = small_options(20, 0.3, solver, dtype);
  options.max_iterations = 8;
  return options;
}

constexpr Solver kSolvers[] = {Solver::kFast, Solver::kFista};
constexpr DType kTypes[] = {DType::kFloat32, DType::kFloat64};

TEST(Determinism, TheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> samples = several_blocks();
  for (const Solver solver : kSolvers) {
    for (const DType dtype : kTypes) {
      for (const double eta : {1.0, 0.0}) {
        LearnOptions options = options_for(solver, dtype);
        options.eta = eta;
        options.n_threads = 1;
        const LearnResult one = fit(samples, options);
        for (const std::size_t n_threads : {2u, 3u, 7u}) {
          options.n_threads = n_threads;
          const LearnResult many = fit(samples, options);
          EXPECT_EQ(many.model.dictionary(), one.model.dictionary()) << describe(options) << ", " << n_threads;
          EXPECT_EQ(many.model.dual(), one.model.dual()) << describe(options) << ", " << n_threads;
          EXPECT_EQ(many.summary.energy.total(), one.summary.energy.total()) << describe(options);
          EXPECT_EQ(many.summary.used.n_threads, n_threads);
        }
      }
    }
  }
}

TEST(Determinism, TheSearchForTauGivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> samples = several_blocks();
  LearnOptions options = options_for(Solver::kFast, DType::kFloat32);
  options.tau.reset();
  options.nonzeros = 4;
  options.n_threads = 1;
  const LearnResult one = fit(samples, options);
  options.n_threads = 3;
  const LearnResult three = fit(samples, options);
  EXPECT_EQ(one.summary.tau, three.summary.tau);
  EXPECT_EQ(one.model.dictionary(), three.model.dictionary());
}

TEST(Determinism, ASeedGivesTheSameBitsAndAnotherSeedOthers) {
  const Matrix<double> samples = several_blocks();
  for (const Solver solver : kSolvers) {
    LearnOptions options = options_for(solver, DType::kFloat32);
    const LearnResult first = fit(samples, options);
    const LearnResult again = fit(samples, options);
    EXPECT_EQ(first.model.dictionary(), again.model.dictionary());
    EXPECT_EQ(first.model.dual(), again.model.dual());
    options.seed = 1;
    EXPECT_NE(first.model.dictionary(), fit(samples, options).model.dictionary());
  }
}

void expect_same_after_scaling(const Matrix<double>& samples, const LearnOptions& options, double factor) {
  Matrix<double> scaled = samples;
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= factor;
  LearnOptions scaled_options = options;
  scaled_options.tau = *options.tau * factor;
  const LearnResult a = fit(samples, options);
  const LearnResult b = fit(scaled, scaled_options);
  EXPECT_EQ(a.model.dictionary(), b.model.dictionary()) << describe(options) << ", times " << factor;
  EXPECT_EQ(a.model.dual(), b.model.dual()) << describe(options) << ", times " << factor;
  EXPECT_EQ(a.summary.energy.total() * factor * factor, b.summary.energy.total()) << describe(options);
}

TEST(Symmetry, ScalingSamplesAndTauByAPowerOfTwoLeavesEveryBit) {
  for (const Solver solver : kSolvers)
    for (const DType dtype : kTypes)
      for (const double factor : {4.0, 0.125})
        expect_same_after_scaling(several_blocks(), options_for(solver, dtype), factor);
}

// Replaced atoms must not bring a scale of their own into the codes.
TEST(Symmetry, ScalingHoldsWhenAtomsAreReplaced) {
  const Matrix<double> samples = planted_samples(400, 8, 3, 4);
  LearnOptions options = small_options(60, 20);
  options.eta = 0;
  options.max_iterations = 10;
  ASSERT_GT(fit(samples, options).summary.replaced_atoms, 0u);
  expect_same_after_scaling(samples, options, 4.0);
}

TEST(Symmetry, DuplicateSamplesShareTheirWeight) {
  Matrix<double> samples = planted_samples(256, 10, 12, 6);
  Matrix<double> twice(512, 10);
  for (std::size_t i = 0; i < 512; ++i) std::copy_n(samples.row(i % 256), 10, twice.row(i));
  LearnOptions options = small_options(12, 0.2, Solver::kFast, DType::kFloat64);
  options.initial_dictionary = random_unit_rows(12, 10, 1);
  options.max_iterations = 5;
  const LearnResult once = fit(samples, options);
  const LearnResult both = fit(twice, options);
  EXPECT_NEAR(both.summary.energy.total(), 2 * once.summary.energy.total(), 1e-8 * both.summary.energy.total());
}

}  // namespace
}  // namespace dualdict
