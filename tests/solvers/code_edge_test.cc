// SPDX-License-Identifier: BSD-3-Clause
// The code step where shapes and numbers degenerate, and its certificate against the truth.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/tolerance.h"
#include "solvers/code_case.h"

namespace dualdict {
namespace {

template <class T>
class CodeEdge : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(CodeEdge, Scalars);

TYPED_TEST(CodeEdge, EveryTinyShapeIsSolved) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 2u, 256u}) {
    for (const std::size_t d : {1u, 2u, 5u}) {
      for (const std::size_t k : {1u, 2u, 7u}) {
        for (const double eta : {0.0, 1.0}) {
          for (const CodeMethod method : kMethods) {
            CodeCase one(n, d, k, n + 10 * d + 100 * k);
            one.objective.eta = eta;
            CodeReport report;
            const Matrix<double> u =
                one.codes<T>(report, {.method = method, .tolerance = Tolerance<T>::kKkt, .max_sweeps = 100000});
            EXPECT_LE(one.worst_kkt(u), 2 * Tolerance<T>::kKkt) << n << " x " << d << ", K = " << k << ", eta = " << eta
                                                                << (method == CodeMethod::kFista ? " fista" : "");
          }
        }
      }
    }
  }
}

TYPED_TEST(CodeEdge, AZeroSampleHasExactlyTheZeroCode) {
  using T = TypeParam;
  for (const double tau : {0.1, 0.0}) {
    for (const CodeMethod method : kMethods) {
      CodeCase one(3, 4, 6, 2);
      one.objective.tau = tau;
      for (std::size_t f = 0; f < 4; ++f) one.samples(1, f) = 0;
      CodeReport report;
      const Matrix<double> u = one.codes<T>(report, {.method = method, .max_sweeps = 1000});
      for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(u(1, j), 0.0);
    }
  }
}

TYPED_TEST(CodeEdge, AZeroAtomGetsNoCode) {
  using T = TypeParam;
  for (const double tau : {0.1, 0.0}) {
    for (const CodeMethod method : kMethods) {
      CodeCase one(5, 4, 6, 3);
      one.objective.tau = tau;
      one.objective.eta = 0;
      for (std::size_t f = 0; f < 4; ++f) one.dictionary(2, f) = 0;
      CodeReport report;
      const Matrix<double> u = one.codes<T>(report, {.method = method, .tolerance = 1e-3, .max_sweeps = 10000});
      for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(u(i, 2), 0.0, tau > 0 ? 0.0 : 1000 * Tolerance<T>::kEpsilon);
      EXPECT_LE(one.worst_kkt(u), 2e-3);
    }
  }
}

// A dictionary step under D >= 0 can make an atom zero that codes still use. With eta = 0 its coefficient only costs.
TYPED_TEST(CodeEdge, ACodeThatUsesAZeroAtomLetsItGo) {
  using T = TypeParam;
  for (const CodeMethod method : kMethods) {
    CodeCase one(5, 4, 6, 3);
    one.objective.eta = 0;
    for (std::size_t f = 0; f < 4; ++f) one.dictionary(2, f) = 0;
    Matrix<T> u(5, 6);
    for (std::size_t i = 0; i < 5; ++i) u(i, 2) = T(0.5);
    const CodeReport report = one.solve(u, {.method = method, .tolerance = 1e-3, .max_sweeps = 10000});
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(u(i, 2), T{0});
    EXPECT_LE(one.worst_kkt(convert<double>(u)), 2e-3);
    EXPECT_LE(report.gap, 1e-2 * one.energy(convert<double>(u)));
  }
}

TYPED_TEST(CodeEdge, DuplicateAtomsAreSolved) {
  using T = TypeParam;
  for (const double eta : {0.0, 1.0}) {
    for (const CodeMethod method : kMethods) {
      CodeCase one(20, 6, 8, 4);
      one.objective.eta = eta;
      for (std::size_t f = 0; f < 6; ++f) {
        one.dictionary(1, f) = one.dictionary(0, f);
        one.dictionary(3, f) = -one.dictionary(2, f);
      }
      CodeReport report;
      const Matrix<double> u =
          one.codes<T>(report, {.method = method, .tolerance = Tolerance<T>::kKkt, .max_sweeps = 100000});
      EXPECT_LE(one.worst_kkt(u), 2 * Tolerance<T>::kKkt) << "eta = " << eta;
    }
  }
}

TYPED_TEST(CodeEdge, TauMaxSilencesEveryCodeAndLessDoesNot) {
  using T = TypeParam;
  CodeCase one(20, 6, 8, 5);
  double largest = 0;
  const std::vector<double> zero(8);
  for (std::size_t i = 0; i < 20; ++i)
    for (const double b : naive_pull(one.objective, one.dictionary, one.dual, one.samples.row(i), zero.data()))
      largest = std::max(largest, std::abs(b));
  for (const CodeMethod method : kMethods) {
    CodeReport report;
    one.objective.tau = largest * one.objective.k() * (1 + 1e-5);
    one.codes<T>(report, {.method = method, .max_sweeps = 100});
    EXPECT_EQ(report.nonzeros, 0u);
    one.objective.tau = largest * one.objective.k() * (1 - 1e-3);
    one.codes<T>(report, {.method = method, .tolerance = 1e-4, .max_sweeps = 10000});
    EXPECT_GE(report.nonzeros, 1u);
  }
}

// 500 problems: what the report promises against a run that is as long as it needs to be.
TEST(CodeGap, IsNeverBelowTheTrueSuboptimality) {
  Random random(99);
  int loose = 0;
  for (std::uint64_t problem = 0; problem < 500; ++problem) {
    const std::size_t d = 1 + random.index(8);
    const std::size_t k = 1 + random.index(12);
    CodeCase one(1, d, k, 5000 + problem);
    one.objective.eta = random.index(3) == 0 ? 0.0 : std::exp(2 * random.normal());
    one.objective.mu = random.index(2) == 0 ? 0.0 : std::exp(2 * random.normal());
    one.objective.tau *= random.index(8) == 0 ? 0.0 : std::exp(2 * random.normal());
    one.objective.positive_codes = random.index(3) == 0;
    const CodeMethod method = kMethods[random.index(2)];
    const std::size_t sweeps = random.index(6);
    CodeReport report;
    const Matrix<double> u = one.codes<double>(report, {.method = method, .tolerance = 0, .max_sweeps = sweeps});
    const double best = one.energy(naive_codes(one.objective, one.dictionary, one.dual, one.samples));
    const double scale = one.energy(Matrix<double>(1, k));
    const double excess = one.energy(u) - best;
    ASSERT_GE(report.gap, excess - 1e-12 * scale) << "problem " << problem << ": d " << d << ", K " << k;
    loose += excess > 1e-6 * scale ? 1 : 0;
  }
  EXPECT_GT(loose, 50);  // or the test would only see finished codes
}

// A tight gap for accurate codes: a certificate that never gets small would certify nothing.
TEST(CodeGap, GoesToZeroWithTheResidual) {
  for (const bool positive : {false, true}) {
    CodeCase one(50, 12, 20, 8);
    one.objective.positive_codes = positive;
    CodeReport report;
    const Matrix<double> u = one.codes<double>(report, {.tolerance = 1e-10, .max_sweeps = 100000});
    EXPECT_LE(report.gap, 1e-8 * one.energy(u));
  }
}

}  // namespace
}  // namespace dualdict
