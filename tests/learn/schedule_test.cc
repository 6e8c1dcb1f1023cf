// SPDX-License-Identifier: BSD-3-Clause
// What lets the fast solver do with few passes, and that it stays honest.
#include <gtest/gtest.h>

#include <cmath>

#include "learn/fit/extrapolation.h"
#include "learn/fit/sums.h"
#include "learn/fit/warm_up.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

Matrix<double> filled(double value) {
  Matrix<double> m(2, 3);
  for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = value;
  return m;
}

TEST(Extrapolation, LeadsAlongTheLastChangeAndRemembersWhereItStood) {
  Extrapolation extrapolation;
  Matrix<double> dictionary = filled(1), dual = filled(-1);
  EXPECT_FALSE(extrapolation.lead(dictionary, dual));
  EXPECT_EQ(dictionary, filled(1));
  double previous = 1;
  double momentum = 0;
  for (int step = 1; step <= 50; ++step) {
    const double now = previous + 1;
    dictionary = filled(now);
    dual = filled(-now);
    extrapolation.lead(dictionary, dual);
    EXPECT_EQ(extrapolation.dictionary(), filled(now));
    EXPECT_EQ(extrapolation.dual(), filled(-now));
    EXPECT_GE(dictionary(0, 0) - now, momentum);  // Nesterov's weights grow
    momentum = dictionary(0, 0) - now;
    EXPECT_LE(momentum, 0.95 + 1e-12);
    EXPECT_DOUBLE_EQ(dual(1, 2), -dictionary(1, 2));
    previous = now;
  }
  EXPECT_GT(momentum, 0.9);
}

TEST(Extrapolation, ForgetsTheDirectionAfterARestart) {
  Extrapolation extrapolation;
  Matrix<double> dictionary = filled(1), dual = filled(1);
  extrapolation.lead(dictionary, dual);
  extrapolation.restart();
  dictionary = filled(5);
  EXPECT_FALSE(extrapolation.lead(dictionary, dual));
  EXPECT_EQ(dictionary, filled(5));
}

// After the warm-up momentum begins high; the first lead only finds the direction.
TEST(Extrapolation, BeginsWithTheMomentumThatARestartGivesIt) {
  const auto second_lead = [](double weight) {
    Extrapolation extrapolation;
    Matrix<double> dictionary = filled(1), dual = filled(1);
    extrapolation.restart(weight);
    EXPECT_FALSE(extrapolation.lead(dictionary, dual));
    dictionary = filled(2);
    extrapolation.lead(dictionary, dual);
    return dictionary(0, 0) - 2;
  };
  EXPECT_EQ(second_lead(1), 0.0);
  EXPECT_GT(second_lead(kWeightAfterWarmUp), 0.9);
  EXPECT_LT(second_lead(kWeightAfterWarmUp), 0.95);
}

TEST(WarmUp, StepsAreWholeBlocksAndManyToAPass) {
  for (const std::size_t n : {10000u, 100000u, 1000000u}) {
    const WarmUpSchedule schedule = warm_up_schedule(n, 200);
    EXPECT_EQ(schedule.step_samples, 512u);
    EXPECT_LE(schedule.round_steps, 400u);
    EXPECT_GE(schedule.round_steps, 4u);
  }
  EXPECT_EQ(warm_up_schedule(200000, 4096).step_samples, 8192u);
  EXPECT_EQ(warm_up_schedule(500, 20).step_samples, 0u);
}

TEST(WarmUp, SumsFadeSlowlyWhereAtomsAreRarelyUsed) {
  const CodeDensity often{0.2, 0.2}, rarely{0.01, 0.2}, filled_space{0.2, 0.7};
  EXPECT_EQ(fading(0, 512, often), 0);
  EXPECT_GT(fading(20480, 512, rarely), fading(20480, 512, often));
  EXPECT_LT(fading(20480, 512, filled_space), fading(20480, 512, often));
  EXPECT_GT(fading(204800, 512, often), fading(20480, 512, often));
  EXPECT_LT(fading(1000000, 512, rarely), 1);
  EXPECT_GT(fading(1000000, 512, {1, 1}), 0);
}

TEST(WarmUp, ReportedEnergiesAreOfAllSamplesAndNeverRise) {
  const Matrix<double> samples = planted_samples(6000, 16, 24, 6);
  ASSERT_GT(warm_up_schedule(6000, 24).step_samples, 0u);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    LearnOptions options = small_options(24, 0.2, Solver::kFast, dtype);
    options.eta = 0.05;
    options.max_iterations = 300;
    const LearnResult result = fit(samples, options);
    EXPECT_EQ(result.summary.outcome, Outcome::kConverged) << result.summary.message;
    double previous = INFINITY;
    bool led = false;
    for (const IterationRecord& record : result.summary.iterations) {
      if (record.replaced_atoms == 0) {
        EXPECT_LE(record.energy.total(), previous * (dtype == DType::kFloat32 ? 1 + 1e-6 : 1 + 1e-12));
      }
      previous = record.energy.total();
      led = led || record.extrapolated;
    }
    EXPECT_TRUE(led);
    // The last record and the energy measured from the residuals speak of the same samples.
    EXPECT_NEAR(result.summary.energy.total() / previous, 1, 1e-3);
  }
}

TEST(WarmUp, EndsNoHigherThanTheAlgorithmOfThePaper) {
  const Matrix<double> samples = planted_samples(6000, 16, 24, 6);
  LearnOptions options = small_options(24, 0.2, Solver::kFast, DType::kFloat32);
  options.max_iterations = 300;
  const double fast = fit(samples, options).summary.energy.total();
  options.solver = Solver::kFista;
  const double fista = fit(samples, options).summary.energy.total();
  EXPECT_LE(fast, fista * (1 + 10 * options.rtol));
}

}  // namespace
}  // namespace dualdict
