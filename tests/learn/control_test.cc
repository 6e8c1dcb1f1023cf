// SPDX-License-Identifier: BSD-3-Clause
// Watching, steering and ending a fit.
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <set>
#include <string>

#include "dualdict/error.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

TEST(Control, ACallbackSeesEveryIterationAndCanStop) {
  LearnContext context;
  std::vector<std::size_t> seen;
  context.hooks.on_iteration = [&](const IterationRecord& record) {
    seen.push_back(record.iteration);
    return record.iteration == 3 ? Action::kStop : Action::kContinue;
  };
  LearnOptions options = small_options(12, 0.2);
  options.rtol = 1e-9;
  const LearnResult result = fit(planted_samples(200, 10, 12, 1), options, context);
  EXPECT_EQ(result.summary.outcome, Outcome::kStopped);
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(result.summary.n_iterations, 3u);
  EXPECT_NE(result.summary.message.find('3'), std::string::npos);
}

TEST(Control, HooksDoNotChangeABit) {
  const Matrix<double> samples = planted_samples(200, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.max_iterations = 5;
  LearnContext context;
  context.hooks.on_iteration = [](const IterationRecord&) { return Action::kContinue; };
  context.hooks.on_message = [](const std::string&) {};
  EXPECT_EQ(fit(samples, options).model.dictionary(), fit(samples, options, context).model.dictionary());
}

TEST(Control, AnExceptionFromACallbackReachesTheCaller) {
  LearnContext context;
  context.hooks.on_iteration = [](const IterationRecord&) -> Action { throw std::runtime_error("enough"); };
  EXPECT_THROW(fit(planted_samples(200, 10, 12, 1), small_options(12, 0.2), context), std::runtime_error);
}

TEST(Control, AnInterruptKeepsTheWork) {
  std::atomic<bool> interrupt = false;
  LearnContext context;
  context.hooks.interrupt = &interrupt;
  context.hooks.on_iteration = [&](const IterationRecord& record) {
    if (record.iteration == 2) interrupt = true;
    return Action::kContinue;
  };
  const LearnResult result = fit(planted_samples(600, 10, 12, 1), small_options(12, 0.2), context);
  EXPECT_EQ(result.summary.outcome, Outcome::kInterrupted);
  EXPECT_EQ(result.summary.n_iterations, 2u);
  EXPECT_TRUE(all_finite(result.model.dictionary()));
  EXPECT_LE(largest_row_norm(result.model.dictionary()), 1 + 1e-6);
}

TEST(Control, AnInterruptBeforeTheStartIsAnErrorOfTheLibrary) {
  std::atomic<bool> interrupt = true;
  LearnContext context;
  context.hooks.interrupt = &interrupt;
  EXPECT_THROW(fit(planted_samples(600, 10, 12, 1), small_options(12, 0.2), context), Error);
}

TEST(Control, TheIterationLimitIsKeptAndNamed) {
  LearnOptions options = small_options(12, 0.2);
  options.max_iterations = 4;
  options.rtol = 1e-9;
  const LearnResult result = fit(planted_samples(200, 10, 12, 1), options);
  EXPECT_EQ(result.summary.outcome, Outcome::kIterationLimit);
  EXPECT_EQ(result.summary.n_iterations, 4u);
  EXPECT_NE(result.summary.message.find('4'), std::string::npos) << result.summary.message;
}

TEST(Control, TheTimeLimitIsKeptAndNamed) {
  LearnOptions options = small_options(12, 0.2);
  options.time_limit = 1e-6;
  const LearnResult result = fit(planted_samples(200, 10, 12, 1), options);
  EXPECT_EQ(result.summary.outcome, Outcome::kTimeLimit);
  EXPECT_LE(result.summary.n_iterations, 1u);
  EXPECT_TRUE(all_finite(result.model.dictionary()));
}

// Before, the time limit was looked at between iterations only, and the encoders were in no limit.
TEST(Control, TheTimeLimitEndsAnIterationAndTheEncodersToo) {
  LearnOptions options = small_options(2500, 0.02);
  options.time_limit = 0.5;
  options.eta = 1;
  options.n_threads = 1;
  const std::clock_t start = std::clock();
  const LearnResult result = fit(planted_samples(4000, 60, 200, 1), options);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(result.summary.outcome, Outcome::kTimeLimit) << result.summary.message;
  EXPECT_TRUE(all_finite(result.model.dictionary()));
  if (result.model.parts().provenance.encoding.rows.empty()) {  // on most machines
    EXPECT_NE(result.summary.advice.find("--time-limit"), std::string::npos) << result.summary.advice;
  }
  EXPECT_LT(seconds, 15);  // of the processor, whatever else runs: with the limit 3, without it a minute
}

TEST(Control, WhatIsBeingDoneIsSaid) {
  LearnProgress progress;
  LearnContext context;
  context.hooks.progress = &progress;
  std::set<std::string> phases;
  context.hooks.on_message = [&](const std::string&) { phases.insert(progress.text()); };
  context.hooks.on_iteration = [&](const IterationRecord&) {
    phases.insert(progress.text());
    return Action::kContinue;
  };
  LearnOptions options = small_options(12, 0);
  options.tau.reset();
  options.nonzeros = 3;
  options.max_iterations = 2;
  fit(planted_samples(700, 10, 12, 1), options, context);
  EXPECT_EQ(phases.count("choosing tau, 20 of 20 trials"), 1u);
  EXPECT_EQ(phases.count("iteration 2, 700 of 700 samples"), 1u);
  EXPECT_EQ(progress.text().rfind("measuring the modes of encoding", 0), 0u) << progress.text();
}

TEST(Control, ARecordSaysThatTauHasMoved) {
  LearnOptions options = small_options(24, 0);
  options.tau.reset();
  options.nonzeros = 4;
  options.max_iterations = 30;
  const LearnResult result = fit(planted_samples(600, 16, 24, 1), options);
  const auto& records = result.summary.iterations;
  std::size_t n_moved = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].tau_moved, i > 0 && records[i].tau != records[i - 1].tau);
    n_moved += records[i].tau_moved ? 1 : 0;
  }
  EXPECT_GT(n_moved, 0u);
  EXPECT_LT(n_moved + 1, records.size());
}

TEST(Control, TheInitialDictionaryAndDualAreHonoured) {
  const Matrix<double> samples = planted_samples(200, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.initial_dictionary = random_unit_rows(12, 10, 7);
  options.initial_dual = random_unit_rows(12, 10, 8);
  options.eta = 0.1;          // otherwise the dual is fitted in the end
  options.time_limit = 1e-9;  // over before the first iteration: the start is the result
  const LearnResult result = fit(samples, options);
  ASSERT_EQ(result.summary.n_iterations, 0u);
  for (std::size_t i = 0; i < 120; ++i) {
    EXPECT_NEAR(result.model.dictionary().data()[i], options.initial_dictionary.data()[i], 1e-7);
    EXPECT_NEAR(result.model.dual().data()[i], options.initial_dual.data()[i], 1e-7);
  }
}

TEST(Control, AStartOutsideTheConstraintsIsBroughtInside) {
  const Matrix<double> samples = planted_samples(200, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.initial_dictionary = random_matrix<double>(12, 10, 7);  // atoms of length about 3, of both signs
  options.positive_dictionary = true;
  options.replace_below = 0;
  options.tau = 1e3;  // no code, so no step of D touches an atom
  const LearnResult result = fit(samples, options);
  EXPECT_LE(largest_row_norm(result.model.dictionary()), 1 + 1e-6);
  for (std::size_t i = 0; i < 120; ++i) EXPECT_GE(result.model.dictionary().data()[i], 0.0);
}

TEST(Control, AKeptDictionaryStaysAndItsDualIsTheBest) {
  const Matrix<double> samples = planted_samples(200, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2, Solver::kFast, DType::kFloat64);
  options.initial_dictionary = random_unit_rows(12, 10, 7);
  options.keep_dictionary = true;
  options.rtol = 1e-9;
  options.max_iterations = 2000;
  const LearnResult result = fit(samples, options);
  for (std::size_t i = 0; i < 120; ++i)
    EXPECT_NEAR(result.model.dictionary().data()[i], options.initial_dictionary.data()[i], 1e-15);
  EXPECT_EQ(result.summary.replaced_atoms, 0u);
  // E is convex in codes and dual together: every start leads to the same energy.
  options.initial_dual = random_unit_rows(12, 10, 8);
  const LearnResult other = fit(samples, options);
  EXPECT_NEAR(other.summary.energy.total() / result.summary.energy.total(), 1.0, 1e-5);
  EXPECT_LT(result.summary.energy.total(), result.summary.iterations.front().energy.total());
}

TEST(Control, AKeptDictionaryMustBeGivenAndInTheBall) {
  LearnOptions options = small_options(12, 0.2);
  options.keep_dictionary = true;
  EXPECT_THROW(fit(planted_samples(50, 10, 12, 1), options), Error);
  options.initial_dictionary = random_matrix<double>(12, 10, 7);
  EXPECT_THROW(fit(planted_samples(50, 10, 12, 1), options), Error);
  options.initial_dictionary = random_unit_rows(12, 10, 7);
  EXPECT_NO_THROW(fit(planted_samples(50, 10, 12, 1), options));
}

TEST(Control, TheDefaultStartIsDistinctUnitSamples) {
  const Matrix<double> samples = planted_samples(200, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2, Solver::kFast, DType::kFloat64);
  options.time_limit = 1e-9;
  const LearnResult result = fit(samples, options);
  ASSERT_EQ(result.summary.n_iterations, 0u);
  std::vector<std::size_t> sources;
  for (std::size_t k = 0; k < 12; ++k)
    for (std::size_t i = 0; i < 200; ++i)
      if (dot(samples.row(i), result.model.dictionary().row(k), 10) >= (1 - 1e-12) * norm(samples.row(i), 10))
        sources.push_back(i);
  std::sort(sources.begin(), sources.end());
  EXPECT_EQ(sources.size(), 12u);
  EXPECT_EQ(std::unique(sources.begin(), sources.end()), sources.end());
}

// Before, samples were saved as D and as C, whose C x explains nothing.
TEST(Control, ALimitBeforeTheFirstIterationLeavesAFittedDual) {
  const Matrix<double> samples = planted_samples(400, 10, 12, 1);
  for (const std::optional<double> eta : {std::optional<double>(), std::optional(0.0), std::optional(1.0)}) {
    LearnOptions options = small_options(12, 0.2, Solver::kFast, DType::kFloat64);
    options.eta = eta;
    options.time_limit = 1e-9;
    const LearnResult result = fit(samples, options);
    ASSERT_EQ(result.summary.n_iterations, 0u);
    const EncodingRow& linear = result.model.parts().provenance.encoding.rows.front();
    EXPECT_EQ(linear.mode, "linear");
    EXPECT_LT(linear.reconstruction_error, 0.9);
    EXPECT_LT(linear.code_error, 1);
  }
}

TEST(Control, WrongShapesAreRefusedByName) {
  LearnOptions options = small_options(12, 0.2);
  options.initial_dictionary = random_unit_rows(12, 9, 7);
  try {
    fit(planted_samples(50, 10, 12, 1), options);
    FAIL() << "accepted a dictionary of the wrong width";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find('9'), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("10"), std::string::npos);
  }
}

TEST(Control, SamplesBeyondTheRangeOfThePrecisionAreRefused) {
  Matrix<double> samples = planted_samples(50, 10, 12, 1);
  for (std::size_t i = 0; i < samples.size(); ++i) samples.data()[i] *= 1e30;
  try {
    fit(samples, small_options(12, 0.2));
    FAIL() << "accepted samples whose squares overflow";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
  }
  EXPECT_NO_THROW(fit(samples, small_options(12, 0.2e30, Solver::kFast, DType::kFloat64)));
}

}  // namespace
}  // namespace dualdict
