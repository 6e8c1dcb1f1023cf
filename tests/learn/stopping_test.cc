// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/stopping.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace dualdict {
namespace {

TEST(StoppingRule, ComparesWithTheMeanOfTheLastEnergies) {
  StoppingRule rule(1e-3, 2, 1e-12);
  rule.restart(100);
  EXPECT_DOUBLE_EQ(rule.advance(90), 10.0 / 100);
  EXPECT_DOUBLE_EQ(rule.advance(80), 15.0 / 95);
  EXPECT_DOUBLE_EQ(rule.advance(70), 15.0 / 85);
}

TEST(StoppingRule, WithHistoryOneComparesWithTheLastEnergy) {
  StoppingRule rule(1e-3, 1, 1e-12);
  rule.restart(100);
  EXPECT_DOUBLE_EQ(rule.advance(90), 0.1);
  EXPECT_DOUBLE_EQ(rule.advance(45), 0.5);
}

TEST(StoppingRule, FiresBelowRtolOnly) {
  const StoppingRule rule(1e-3, 3, 1e-12);
  EXPECT_TRUE(rule.fires(0));
  EXPECT_TRUE(rule.fires(0.999e-3));
  EXPECT_FALSE(rule.fires(1e-3));
  EXPECT_FALSE(rule.fires(1));
}

TEST(StoppingRule, ARiseIsNeverConvergence) {
  const StoppingRule rule(1e-3, 3, 1e-12);
  EXPECT_FALSE(rule.fires(-1e-9));
  EXPECT_FALSE(rule.fires(-1e-4));
  EXPECT_FALSE(rule.fires(-10));
  EXPECT_TRUE(rule.is_near(-1e-4));  // but a reason to make the steps accurate
}

TEST(StoppingRule, NothingToGainIsConvergence) {
  StoppingRule rule(1e-3, 3, 1e-12);
  rule.restart(0);
  EXPECT_EQ(rule.advance(0), 0.0);
  EXPECT_TRUE(rule.fires(0));
}

TEST(StoppingRule, ANumberThatIsNoneNeverFires) {
  const StoppingRule rule(1e-3, 3, 1e-12);
  EXPECT_FALSE(rule.fires(std::numeric_limits<double>::quiet_NaN()));
}

TEST(StoppingRule, RestartForgetsTheHistory) {
  StoppingRule rule(1e-3, 3, 1e-12);
  rule.restart(100);
  rule.advance(50);
  rule.restart(10);
  EXPECT_DOUBLE_EQ(rule.advance(9), 0.1);
}

IterationRecord still_record() {
  IterationRecord record;
  record.accurate = true;
  record.relative_change = 1e-5;
  record.duality_gap = 1e-7;
  record.nonzeros_per_code = 2;
  return record;
}

TEST(Converged, NeedsAccurateStepsAndNoNewAtoms) {
  const StoppingRule rule(1e-4, 3, 1e-12);
  LearnSummary summary;
  EXPECT_TRUE(converged(rule, still_record(), summary));
  EXPECT_EQ(summary.outcome, Outcome::kConverged);
  EXPECT_NE(summary.message.find("1e-05"), std::string::npos) << summary.message;
  EXPECT_NE(summary.message.find("0.0001"), std::string::npos) << summary.message;

  summary = LearnSummary();
  IterationRecord record = still_record();
  record.accurate = false;
  EXPECT_FALSE(converged(rule, record, summary));
  record = still_record();
  record.replaced_atoms = 1;
  EXPECT_FALSE(converged(rule, record, summary));
  record = still_record();
  record.relative_change = -1e-5;
  EXPECT_FALSE(converged(rule, record, summary));
  EXPECT_EQ(summary.outcome, Outcome::kNumericalFailure);  // the honest start
}

TEST(LimitReached, NamesTheLimitThatWasReached) {
  LearnOptions options;
  options.max_iterations = 2;
  options.time_limit = 5;
  LearnSummary summary;
  EXPECT_FALSE(limit_reached(options, {1}, summary.iterations, summary));
  EXPECT_TRUE(limit_reached(options, {6}, summary.iterations, summary));
  EXPECT_EQ(summary.outcome, Outcome::kTimeLimit);
  EXPECT_FALSE(limit_reached(options, {2, 2}, summary.iterations, summary));
  EXPECT_TRUE(limit_reached(options, {3, 2}, summary.iterations, summary));
  EXPECT_NE(summary.message.find("kept for the encoders"), std::string::npos) << summary.message;
  summary.iterations.resize(2);
  EXPECT_TRUE(limit_reached(options, {1}, summary.iterations, summary));
  EXPECT_EQ(summary.outcome, Outcome::kIterationLimit);
  options.time_limit = 0;  // none
  summary.iterations.clear();
  EXPECT_FALSE(limit_reached(options, {1e9}, summary.iterations, summary));
}

TEST(Trivial, TellsZeroSamplesFromTooMuchTau) {
  IterationRecord record = still_record();
  LearnSummary summary;
  EXPECT_FALSE(trivial(record, 1, false, summary));
  record.nonzeros_per_code = 0;
  record.tau = 7.5;
  EXPECT_TRUE(trivial(record, 3.25, false, summary));
  EXPECT_EQ(summary.outcome, Outcome::kTrivial);
  EXPECT_NE(summary.message.find("7.5"), std::string::npos);
  EXPECT_NE(summary.message.find("3.25"), std::string::npos);
  EXPECT_NE(summary.message.find("not below tau_max"), std::string::npos) << summary.message;
  // Codes can also die out on the way, when the coding term shrinks them and the filters that predict them.
  EXPECT_TRUE(trivial(record, 90, false, summary));
  EXPECT_EQ(summary.outcome, Outcome::kTrivial);
  EXPECT_EQ(summary.message.find("not below"), std::string::npos) << summary.message;
  EXPECT_NE(summary.message.find("--eta"), std::string::npos) << summary.message;
  EXPECT_TRUE(trivial(record, 0, true, summary));
  EXPECT_EQ(summary.outcome, Outcome::kConverged);
}

}  // namespace
}  // namespace dualdict
