// SPDX-License-Identifier: BSD-3-Clause
#include "expected_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dualdict::cli {
namespace {

// Relative changes start, start * factor, ... at two seconds an iteration.
std::vector<IterationRecord> run_of(std::size_t n, double start, double factor) {
  std::vector<IterationRecord> records(n);
  for (std::size_t i = 0; i < n; ++i) {
    records[i].iteration = i + 1;
    records[i].seconds = 2.0 * static_cast<double>(i + 1);
    records[i].relative_change = start * std::pow(factor, static_cast<double>(i));
  }
  return records;
}

TEST(ExpectedTime, ExtrapolatesAGeometricFall) {
  LearnOptions options;
  options.rtol = 1e-4;
  // 0.1 halves; after five iterations 0.00625, and six more halvings pass 1e-4.
  const auto left = expected_seconds_left(run_of(5, 0.1, 0.5), options);
  ASSERT_TRUE(left.has_value());
  EXPECT_NEAR(*left, 12.0, 1e-9);
}

TEST(ExpectedTime, IsBoundedByTheIterationAndTheTimeLimit) {
  LearnOptions options;
  options.max_iterations = 8;
  EXPECT_NEAR(*expected_seconds_left(run_of(5, 0.1, 0.99), options), 6.0, 1e-9);
  EXPECT_NEAR(*expected_seconds_left(run_of(5, 0.1, 1.5), options), 6.0, 1e-9);
  options.time_limit = 12;
  EXPECT_NEAR(*expected_seconds_left(run_of(5, 0.1, 0.99), options), 2.0, 1e-9);
}

TEST(ExpectedTime, SurvivesRisesAndRtolZero) {
  LearnOptions options;
  options.max_iterations = 10;
  auto records = run_of(5, 0.1, 0.5);
  for (auto& record : records) record.relative_change = -1;
  EXPECT_NEAR(*expected_seconds_left(records, options), 10.0, 1e-9);
  options.rtol = 0;
  EXPECT_NEAR(*expected_seconds_left(run_of(5, 0.1, 0.5), options), 10.0, 1e-9);
}

TEST(ExpectedTime, SaysNothingTooEarly) {
  EXPECT_FALSE(expected_seconds_left(run_of(2, 0.1, 0.5), LearnOptions{}).has_value());
}

}  // namespace
}  // namespace dualdict::cli
