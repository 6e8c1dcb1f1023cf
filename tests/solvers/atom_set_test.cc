// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/atom_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "problems/random_matrix.h"

namespace dualdict {
namespace {

TEST(Projection, APointInsideStaysAndOneOutsideGoesToTheBall) {
  double inside[] = {0.3, -0.4};
  AtomSet{false}.project(inside, 2);
  EXPECT_EQ(inside[0], 0.3);
  EXPECT_EQ(inside[1], -0.4);
  double outside[] = {3, -4};
  AtomSet{false}.project(outside, 2);
  EXPECT_NEAR(outside[0], 0.6, 1e-15);
  EXPECT_NEAR(outside[1], -0.8, 1e-15);
}

TEST(Projection, AZeroRowStaysZero) {
  double zero[] = {0, 0, 0};
  for (const bool positive : {false, true}) {
    AtomSet{positive}.project(zero, 3);
    for (const double value : zero) EXPECT_EQ(value, 0.0);
  }
}

// p is the nearest point of a convex set when <x - p, q - p> <= 0 for every q in it.
TEST(Projection, IsTheNearestPointOfTheSet) {
  for (const bool positive : {false, true}) {
    Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
      double x[4], p[4];
      const double scale = std::exp(random.normal());
      for (int f = 0; f < 4; ++f) p[f] = x[f] = scale * random.normal();
      AtomSet{positive}.project(p, 4);
      EXPECT_LE(norm(p, 4), 1 + 1e-14);
      for (int other = 0; other < 20; ++other) {
        double q[4];
        for (double& value : q) value = positive ? std::abs(random.normal()) : random.normal();
        const double length = std::max(1.0, norm(q, 4));
        double product = 0;
        for (int f = 0; f < 4; ++f) product += (x[f] - p[f]) * (q[f] / length - p[f]);
        ASSERT_LE(product, 1e-13 * scale);
      }
    }
  }
}

TEST(BallGap, IsTheLargestDescentAlongTheGradient) {
  for (const bool positive : {false, true}) {
    Random random(5);
    for (int trial = 0; trial < 200; ++trial) {
      double gradient[4], row[4], best[4];
      for (int f = 0; f < 4; ++f) {
        gradient[f] = random.normal();
        row[f] = random.normal();
        best[f] = -1e9 * gradient[f];
      }
      AtomSet{positive}.project(row, 4);
      AtomSet{positive}.project(best, 4);
      double expected = 0;
      for (int f = 0; f < 4; ++f) expected += gradient[f] * (row[f] - best[f]);
      EXPECT_NEAR(AtomSet{positive}.gap(gradient, row, 4), expected, 1e-12);
    }
  }
}

}  // namespace
}  // namespace dualdict
