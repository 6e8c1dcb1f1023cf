// SPDX-License-Identifier: BSD-3-Clause
#include "core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dualdict {
namespace {

// From a separate implementation of splitmix64 and xoshiro256**. A change here changes every fit of every user.
TEST(Random, TheSequenceOfASeedNeverChanges) {
  Random zero(0);
  for (const std::uint64_t expected :
       {0xfb5405f7bd79c540u, 0x780c98e26cea5883u, 0x2a146e0980febc66u, 0x4851477db8791fcau})
    EXPECT_EQ(zero.next(), expected);
  Random other(42, 7);
  for (const std::uint64_t expected :
       {0x62737c38a122f17bu, 0xea6ebb82a9ba9dafu, 0xd441ca1af7a73d34u, 0x98876492b1a0996au})
    EXPECT_EQ(other.next(), expected);
}

TEST(Random, SeedsAndStreamsDiffer) {
  Random a(1);
  Random b(2);
  Random c(1, 1);
  const std::uint64_t first = a.next();
  EXPECT_NE(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Random, UniformFillsTheHalfOpenInterval) {
  Random random(3);
  double sum = 0;
  double smallest = 1;
  double largest = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);  // five standard deviations
  EXPECT_LT(smallest, 1e-3);
  EXPECT_GT(largest, 1 - 1e-3);
}

TEST(Random, IndexHasNoBias) {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 10u}) {
    Random random(n);
    std::vector<double> counts(n);
    constexpr double kDraws = 70000;
    for (int i = 0; i < static_cast<int>(kDraws); ++i) {
      const std::size_t value = random.index(n);
      ASSERT_LT(value, n);
      ++counts[value];
    }
    const double expected = kDraws / static_cast<double>(n);
    for (const double count : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected));
  }
}

// With n just above half of the range, taking the remainder alone would hit the lower half twice as often.
TEST(Random, IndexHasNoBiasInALargeRange) {
  const std::size_t n = (std::size_t{1} << 63) + (std::size_t{1} << 62);
  Random random(11);
  int low = 0;
  constexpr int kDraws = 30000;
  for (int i = 0; i < kDraws; ++i) {
    const std::size_t value = random.index(n);
    ASSERT_LT(value, n);
    low += value < n / 3 ? 1 : 0;
  }
  EXPECT_NEAR(low, kDraws / 3.0, 5 * std::sqrt(kDraws * 2.0 / 9.0));
}

TEST(Random, NormalHasItsMoments) {
  Random random(5);
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    ASSERT_TRUE(std::isfinite(z));
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourth / kDraws, 3, 5 * std::sqrt(96.0 / kDraws));
}

TEST(Random, APermutationHoldsEveryIndexOnce) {
  Random random(6);
  for (const std::size_t n : {0u, 1u, 2u, 100u}) {
    std::vector<std::size_t> order = random.permutation(n);
    ASSERT_EQ(order.size(), n);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(Random, EveryPermutationIsAsLikely) {
  Random random(7);
  std::vector<double> counts(27);
  constexpr int kDraws = 30000;
  for (int i = 0; i < kDraws; ++i) {
    const auto p = random.permutation(3);
    ++counts[p[0] * 9 + p[1] * 3 + p[2]];
  }
  for (const double count : counts)
    if (count > 0) {
      EXPECT_NEAR(count, kDraws / 6.0, 5 * std::sqrt(kDraws / 6.0));
    }
  EXPECT_EQ(std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; }), 6);
}

}  // namespace
}  // namespace dualdict
