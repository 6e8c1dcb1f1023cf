// SPDX-License-Identifier: BSD-3-Clause
// Whole fits: what is reported is what plain double-precision loops find.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "learn/fit_case.h"

namespace dualdict {
namespace {

struct Case {
  const char* data;
  Matrix<double> samples;
  LearnOptions options;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const Matrix<double> planted = planted_samples(300, 16, 24, 1);
  const Matrix<double> random = random_samples(300, 16, 2);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      for (const double eta : {1.0, 0.0}) {
        LearnOptions options = small_options(24, 0.2, solver, dtype);
        options.eta = eta;
        options.max_iterations = 25;
        all.push_back({"planted", planted, options});
        all.push_back({"random", random, options});
      }
      LearnOptions options = small_options(20, 0.2, solver, dtype);
      options.max_iterations = 15;
      options.mu = 0.5;
      options.positive_codes = true;
      options.positive_dictionary = true;
      all.push_back({"planted", planted, options});
    }
  }
  return all;
}

class WholeFit : public testing::Test {
 protected:
  struct Fitted {
    Case problem;
    LearnResult result;
  };
  static void SetUpTestSuite() {
    fitted_ = new std::vector<Fitted>;
    for (Case& problem : cases()) {
      LearnResult result = fit(problem.samples, problem.options);
      fitted_->push_back({std::move(problem), std::move(result)});
    }
  }
  static void TearDownTestSuite() {
    delete fitted_;
    fitted_ = nullptr;
  }
  static std::string name(const Fitted& one) {
    return std::string(one.problem.data) + ", " + describe(one.problem.options);
  }
  static std::vector<Fitted>* fitted_;
};
std::vector<WholeFit::Fitted>* WholeFit::fitted_ = nullptr;

TEST_F(WholeFit, TheReportedEnergyIsTheNaiveEnergyOfTheExactCodes) {
  for (const Fitted& one : *fitted_) {
    const Matrix<double> codes = codes_of(one.result, one.problem.samples);
    const double expected = naive_energy(objective_of(one.result), one.result.model.dictionary(),
                                         one.result.model.dual(), one.problem.samples, codes)
                                .total();
    EXPECT_NEAR(one.result.summary.energy.total(), expected, energy_tolerance(one.problem.options.dtype) * expected)
        << name(one);
  }
}

TEST_F(WholeFit, TheCodesAreCertified) {
  for (const Fitted& one : *fitted_) {
    const bool is_float = one.problem.options.dtype == DType::kFloat32;
    EXPECT_LE(one.result.summary.max_kkt_residual, is_float ? 1e-3 : 1e-8) << name(one);
    EXPECT_LE(one.result.summary.duality_gap, is_float ? 1e-4 : 1e-8) << name(one);
    EXPECT_GE(one.result.summary.duality_gap, 0) << name(one);
    EXPECT_GT(one.result.summary.nonzeros_per_code, 0.1) << name(one);
  }
}

TEST_F(WholeFit, AtomsAndFiltersAreInTheBall) {
  for (const Fitted& one : *fitted_) {
    const double limit = 1 + ball_tolerance(one.problem.options.dtype);
    EXPECT_LE(largest_row_norm(one.result.model.dictionary()), limit) << name(one);
    EXPECT_LE(largest_row_norm(one.result.model.dual()), limit) << name(one);
    EXPECT_TRUE(all_finite(one.result.model.dictionary()) && all_finite(one.result.model.dual())) << name(one);
    // Learned from data with structure, most atoms want to be as long as they may.
    EXPECT_GE(largest_row_norm(one.result.model.dictionary()), 0.9) << name(one);
  }
}

TEST_F(WholeFit, TheEnergyNeverRisesOverABlockStep) {
  for (const Fitted& one : *fitted_) {
    const double slack = 1 + rise_tolerance(one.problem.options.dtype);
    double previous = INFINITY;
    double tau = one.result.summary.tau;
    ASSERT_FALSE(one.result.summary.iterations.empty());
    for (const IterationRecord& record : one.result.summary.iterations) {
      const std::string where = name(one) + ", iteration " + std::to_string(record.iteration);
      EXPECT_EQ(record.tau, tau);
      EXPECT_LE(record.energy_after_codes, record.energy_before_codes * slack) << where;
      if (record.replaced_atoms == 0) {
        EXPECT_LE(record.energy.total(), previous * slack) << where;
      }
      if (record.replaced_atoms == 0) {
        EXPECT_LE(record.energy_after_dictionary, record.energy_after_codes * slack) << where;
      }
      EXPECT_LE(record.energy.total(), record.energy_after_dictionary * slack) << where;
      previous = record.energy.total();
    }
    EXPECT_LE(one.result.summary.energy.total(), previous * slack) << name(one);
  }
}

TEST_F(WholeFit, PositiveMeansPositive) {
  for (const Fitted& one : *fitted_) {
    if (!one.problem.options.positive_dictionary) continue;
    const Matrix<double>& dictionary = one.result.model.dictionary();
    for (std::size_t i = 0; i < dictionary.size(); ++i) EXPECT_GE(dictionary.data()[i], 0.0) << name(one);
    EXPECT_TRUE(one.result.model.parts().positive_codes);
  }
}

TEST_F(WholeFit, TheSummaryCountsWhatHappened) {
  for (const Fitted& one : *fitted_) {
    const LearnSummary& summary = one.result.summary;
    EXPECT_EQ(summary.n_samples, 300u);
    EXPECT_EQ(summary.n_features, 16u);
    EXPECT_EQ(summary.n_iterations, summary.iterations.size());
    std::size_t replaced = 0;
    for (const IterationRecord& record : summary.iterations) replaced += record.replaced_atoms;
    EXPECT_EQ(summary.replaced_atoms, replaced);
    double largest = 0;
    const std::vector<double> zero(one.result.model.n_atoms());
    for (std::size_t i = 0; i < 300; ++i)
      for (const double b : naive_pull(objective_of(one.result), one.result.model.dictionary(), one.result.model.dual(),
                                       one.problem.samples.row(i), zero.data()))
        largest = std::max(largest, one.problem.options.positive_codes ? b : std::abs(b));
    EXPECT_NEAR(summary.tau_max, largest * static_cast<double>(zero.size()), 1e-5 * summary.tau_max) << name(one);
  }
}

// Small residuals: E is a small difference of large sums, and must be right all the same.
TEST(SmallTau, TheEnergyStillNeverRises) {
  const Matrix<double> samples = planted_samples(300, 16, 24, 5);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    LearnOptions options = small_options(24, 0.01, Solver::kFast, dtype);
    options.max_iterations = 15;
    const LearnResult result = fit(samples, options);
    expect_no_step_raises_energy(result.summary, options);
  }
}

}  // namespace
}  // namespace dualdict
