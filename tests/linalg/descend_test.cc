// SPDX-License-Identifier: BSD-3-Clause
// Coordinate descent: every instruction set against the scalar reference.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "linalg/kernels/kernels.h"
#include "problems/random_matrix.h"
#include "reference/naive_products.h"
#include "reference/tolerance.h"

namespace dualdict {
namespace {

// Rows are padded as the kernels want it; the sums below see the zeros too.
template <class T>
struct DescentCase {
  Matrix<T> gram;
  std::vector<T> diagonal, inverse_diagonal, b, u, r;
  T lambda = 0;
  bool positive = false;
  bool from_zero = false;
  std::size_t active_limit = 0;
  bool sweeps_first = false;
  T relaxation = 1;
  std::size_t n_coordinates;
  std::vector<std::uint32_t> list, slots;
  std::vector<T> active;

  DescentCase(std::size_t n, bool positive_in, std::uint64_t seed)
      : gram(padded(n), padded(n)),
        diagonal(padded(n)),
        inverse_diagonal(padded(n)),
        b(padded(n)),
        u(padded(n)),
        r(padded(n)),
        positive(positive_in),
        n_coordinates(n),
        list(padded(n)) {
    const Matrix<double> atoms = random_unit_rows(n, n / 2 + 1, seed);
    const Matrix<double> h = naive_product(atoms, naive_transpose(atoms));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) gram(i, j) = static_cast<T>(h(i, j) + (i == j ? 0.3 : 0.0));
    Random random(seed, 9);
    for (std::size_t j = 0; j < n; ++j) {
      diagonal[j] = gram(j, j);
      inverse_diagonal[j] = T{1} / gram(j, j);
      b[j] = static_cast<T>(random.normal());
    }
    lambda = T(0.4);
    r = b;
  }

  DescentReport<T> run(const Kernels<T>& kernel, T tolerance, std::size_t max_sweeps) {
    slots.resize(active_limit);
    active.resize(active_workspace(active_limit, u.size()));
    return kernel.descend({gram.data(),
                           gram.cols(),
                           diagonal.data(),
                           inverse_diagonal.data(),
                           u.size(),
                           lambda,
                           positive,
                           from_zero,
                           tolerance,
                           max_sweeps,
                           list.data(),
                           u.data(),
                           r.data(),
                           {active_limit, slots.data(), active.data(), sweeps_first},
                           relaxation});
  }

  void start_at_random(std::uint64_t seed) {
    Random random(seed, 4);
    for (std::size_t j = 0; j < n_coordinates; ++j)
      u[j] = static_cast<T>(positive ? std::abs(random.normal()) : random.normal());
    for (std::size_t j = 0; j < u.size(); ++j) {
      double rj = static_cast<double>(b[j]);
      for (std::size_t k = 0; k < u.size(); ++k) rj -= static_cast<double>(gram(j, k)) * static_cast<double>(u[k]);
      r[j] = static_cast<T>(rj);
    }
  }

  // 1/2 u'Hu - b'u + lambda |u|_1.
  double objective() const {
    double value = 0;
    for (std::size_t j = 0; j < u.size(); ++j) {
      const auto uj = static_cast<double>(u[j]);
      value += static_cast<double>(lambda) * std::abs(uj) - static_cast<double>(b[j]) * uj;
      for (std::size_t k = 0; k < u.size(); ++k)
        value += static_cast<double>(gram(j, k)) * uj * static_cast<double>(u[k]) / 2;
    }
    return value;
  }

  // The residual of the optimality conditions, from r recomputed in double.
  double naive_kkt() const {
    double worst = 0;
    for (std::size_t j = 0; j < u.size(); ++j) {
      double rj = static_cast<double>(b[j]);
      for (std::size_t k = 0; k < u.size(); ++k) rj -= static_cast<double>(gram(j, k)) * static_cast<double>(u[k]);
      const auto l = static_cast<double>(lambda);
      if (u[j] > 0) worst = std::max(worst, std::abs(rj - l));
      if (u[j] < 0) worst = std::max(worst, std::abs(rj + l));
      if (u[j] == 0) worst = std::max(worst, (positive ? rj : std::abs(rj)) - l);
    }
    return worst;
  }
};

template <class T>
class Descend : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Descend, Scalars);

TYPED_TEST(Descend, EveryKernelMakesTheSameSweepsAsTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    for (const bool positive : {false, true}) {
      for (const std::size_t sweeps : {0u, 1u, 2u, 5u}) {
        DescentCase<T> reference(n, positive, n);
        reference.relaxation = n % 2 == 0 ? T{1} : T(1.4);
        // Not zero: one kernel may get there by luck of rounding and stop a sweep before the others.
        const T enough = static_cast<T>(4 * Tolerance<T>::kEpsilon);
        const auto expected = reference.run(scalar_kernels<T>(), enough, sweeps);
        for (const Kernels<T>& kernel : all_kernels<T>()) {
          DescentCase<T> other(n, positive, n);
          other.relaxation = reference.relaxation;
          const auto report = other.run(kernel, enough, sweeps);
          const double tolerance = 100 * static_cast<double>(n + 1) * Tolerance<T>::kEpsilon;
          EXPECT_EQ(report.sweeps, expected.sweeps) << kernel.name << ", n = " << n;
          EXPECT_NEAR(static_cast<double>(report.kkt), static_cast<double>(expected.kkt), tolerance);
          for (std::size_t j = 0; j < n; ++j) {
            ASSERT_NEAR(static_cast<double>(other.u[j]), static_cast<double>(reference.u[j]), tolerance)
                << kernel.name << ", n = " << n << ", sweeps " << sweeps;
            ASSERT_NEAR(static_cast<double>(other.r[j]), static_cast<double>(reference.r[j]), tolerance);
          }
        }
      }
    }
  }
}

TYPED_TEST(Descend, EveryKernelReachesTheOptimumAndReportsIt) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 2u, 7u, 16u, 31u, 64u, 70u}) {
    for (const bool positive : {false, true}) {
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        DescentCase<T> one(n, positive, 100 + n);
        const T tolerance = one.lambda * static_cast<T>(Tolerance<T>::kKkt);
        const auto report = one.run(kernel, tolerance, 10000);
        EXPECT_LE(report.kkt, tolerance) << kernel.name << ", n = " << n;
        EXPECT_LE(one.naive_kkt(), 2 * static_cast<double>(tolerance)) << kernel.name << ", n = " << n;
        for (const T value : one.u) EXPECT_TRUE(!positive || value >= 0);
      }
    }
  }
}

TYPED_TEST(Descend, ARelaxedMoveGoesPastTheMinimiserButStaysOnItsSide) {
  using T = TypeParam;
  EXPECT_EQ(relaxed(T{1}, T{3}, T(1.5)), T{4});
  EXPECT_EQ(relaxed(T{-3}, T{-2}, T(1.5)), T(-1.5));
  EXPECT_EQ(relaxed(T{3}, T{1}, T(1.5)), T{1});    // would end at 0
  EXPECT_EQ(relaxed(T{1}, T{-1}, T(1.5)), T{-1});  // crosses
  EXPECT_EQ(relaxed(T{0}, T{2}, T(1.5)), T{2});
}

TYPED_TEST(Descend, RelaxedSweepsNeverRaiseTheObjectiveAndEndAtTheSameOptimum) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 7u, 31u, 70u}) {
    for (const T relaxation : {T(1.2), T(1.4), T(1.9)}) {
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        DescentCase<T> plain(n, n == 31, 200 + n);
        const T tolerance = plain.lambda * static_cast<T>(Tolerance<T>::kKkt);
        plain.run(kernel, tolerance, 10000);
        DescentCase<T> one(n, n == 31, 200 + n);
        one.start_at_random(n);
        one.relaxation = relaxation;
        const double rounding = 100 * static_cast<double>(n) * Tolerance<T>::kEpsilon;
        double before = one.objective();
        for (int sweep = 0; sweep < 1000 && one.run(kernel, tolerance, 1).kkt > tolerance; ++sweep) {
          ASSERT_LE(one.objective(), before + rounding) << kernel.name << ", relaxation " << relaxation;
          before = one.objective();
        }
        // H is at least 0.3: two codes with a small KKT residual are near each other.
        const double near = 10 * static_cast<double>(tolerance) * std::sqrt(static_cast<double>(n));
        for (std::size_t j = 0; j < n; ++j)
          EXPECT_NEAR(static_cast<double>(one.u[j]), static_cast<double>(plain.u[j]), near) << kernel.name;
      }
    }
  }
}

TYPED_TEST(Descend, EveryKernelMakesTheSameGreedyStepsAsTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    for (const bool positive : {false, true}) {
      const auto greedy_case = [&] {
        DescentCase<T> one(n, positive, 700 + n);
        one.from_zero = true;
        one.inverse_diagonal[n / 2] = 0;  // never moves, however strongly it is pulled
        return one;
      };
      DescentCase<T> reference = greedy_case();
      reference.run(scalar_kernels<T>(), T{0}, 0);
      EXPECT_EQ(reference.u[n / 2], T{0});
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        DescentCase<T> other = greedy_case();
        other.run(kernel, T{0}, 0);
        const double tolerance = 100 * static_cast<double>(n + 1) * Tolerance<T>::kEpsilon;
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_NEAR(static_cast<double>(other.u[j]), static_cast<double>(reference.u[j]), tolerance)
              << kernel.name << ", n = " << n;
          if (j == n / 2 || other.u[j] != T{0}) continue;
          // No idle coordinate is left that is pulled by more than twice the threshold.
          ASSERT_LE(positive ? other.r[j] : std::abs(other.r[j]), 2 * other.lambda * T(1.001)) << kernel.name;
        }
      }
    }
  }
}

TYPED_TEST(Descend, TheGreedyStartEndsAtTheSameOptimum) {
  using T = TypeParam;
  for (const std::size_t n : {1u, 2u, 7u, 16u, 31u, 64u, 70u}) {
    for (const bool positive : {false, true}) {
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        DescentCase<T> swept(n, positive, 300 + n);
        DescentCase<T> greedy(n, positive, 300 + n);
        greedy.from_zero = true;
        const T tolerance = swept.lambda * static_cast<T>(Tolerance<T>::kKkt);
        swept.run(kernel, tolerance, 10000);
        const auto report = greedy.run(kernel, tolerance, 10000);
        EXPECT_LE(report.kkt, tolerance) << kernel.name << ", n = " << n;
        EXPECT_LE(greedy.naive_kkt(), 2 * static_cast<double>(tolerance)) << kernel.name << ", n = " << n;
        // H is at least 0.3: two codes with a small KKT residual are near each other.
        const double near = 10 * static_cast<double>(tolerance) * std::sqrt(static_cast<double>(n));
        for (std::size_t j = 0; j < n; ++j)
          EXPECT_NEAR(static_cast<double>(greedy.u[j]), static_cast<double>(swept.u[j]), near) << kernel.name;
      }
    }
  }
}

TYPED_TEST(Descend, TheActiveSetEndsAtTheSameOptimumWithoutSweeps) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    for (const bool positive : {false, true}) {
      for (const bool from_zero : {false, true}) {
        for (const Kernels<T>& kernel : all_kernels<T>()) {
          DescentCase<T> swept(n, positive, 500 + n);
          DescentCase<T> active(n, positive, 500 + n);
          active.from_zero = from_zero;
          active.active_limit = n;
          if (!from_zero) active.start_at_random(n);
          const T tolerance = swept.lambda * static_cast<T>(Tolerance<T>::kKkt);
          swept.run(kernel, tolerance, 10000);
          const auto report = active.run(kernel, tolerance, 10000);
          EXPECT_TRUE(report.sweeps == 0 || std::string(kernel.name) == "scalar") << kernel.name << ", n = " << n;
          EXPECT_LE(active.naive_kkt(), 2 * static_cast<double>(tolerance)) << kernel.name << ", n = " << n;
          const double near = 10 * static_cast<double>(tolerance) * std::sqrt(static_cast<double>(n));
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_NEAR(static_cast<double>(active.u[j]), static_cast<double>(swept.u[j]), near) << kernel.name;
        }
      }
    }
  }
}

// From a warm start that is near, sweeps alone end there; from far away the active set takes over.
TYPED_TEST(Descend, SweepsThatComeFirstEndAtTheSameOptimum) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    for (const bool far : {false, true}) {
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        DescentCase<T> swept(n, false, 700 + n);
        const T tolerance = swept.lambda * static_cast<T>(Tolerance<T>::kKkt);
        swept.run(kernel, tolerance, 10000);
        DescentCase<T> warm(n, false, 700 + n);
        warm.active_limit = n;
        warm.sweeps_first = true;
        if (far) warm.start_at_random(n);
        if (!far) warm.run(kernel, 100 * tolerance, 10000);
        const auto report = warm.run(kernel, tolerance, 10000);
        if (far && n >= 20) {
          EXPECT_GT(report.sweeps, 0u) << kernel.name << ", n = " << n;
        }
        EXPECT_LE(warm.naive_kkt(), 2 * static_cast<double>(tolerance)) << kernel.name << ", n = " << n;
        const double near = 10 * static_cast<double>(tolerance) * std::sqrt(static_cast<double>(n));
        for (std::size_t j = 0; j < n; ++j)
          ASSERT_NEAR(static_cast<double>(warm.u[j]), static_cast<double>(swept.u[j]), near) << kernel.name;
      }
    }
  }
}

TYPED_TEST(Descend, AnActiveSetThatIsTooSmallLeavesTheRestToSweeps) {
  using T = TypeParam;
  constexpr std::size_t kSize = 40;
  for (const std::size_t limit : {1u, 2u, 3u, 8u, 15u}) {
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      DescentCase<T> one(kSize, false, 3);
      one.from_zero = true;
      one.active_limit = limit;
      const T tolerance = one.lambda * static_cast<T>(Tolerance<T>::kKkt);
      EXPECT_LE(one.run(kernel, tolerance, 10000).kkt, tolerance) << kernel.name << ", limit " << limit;
      EXPECT_LE(one.naive_kkt(), 2 * static_cast<double>(tolerance)) << kernel.name << ", limit " << limit;
    }
  }
}

// H of rank n/2 + 1 with every atom twice: no support with both twins has an inverse.
TYPED_TEST(Descend, TheActiveSetNeverRaisesTheObjectiveWhereHIsSingular) {
  using T = TypeParam;
  for (const std::size_t n : {2u, 6u, 20u, 50u}) {
    for (const bool positive : {false, true}) {
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        DescentCase<T> one(n, positive, 40 + n);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            const T h = one.gram(i / 2 * 2, j / 2 * 2);
            one.gram(i, j) = i / 2 == j / 2 ? T{1} : h;
          }
          one.diagonal[i] = one.inverse_diagonal[i] = T{1};
          one.b[i] = one.b[i / 2 * 2];
        }
        one.lambda = T(0.01);
        one.active_limit = n;
        one.start_at_random(n);
        double before = one.objective();
        const double scale = std::abs(before);
        for (int round = 0; round < 5; ++round) {
          one.run(kernel, T{0}, 1);
          const double after = one.objective();
          ASSERT_LE(after, before + 10 * Tolerance<T>::kRise * scale) << kernel.name << ", n = " << n;
          before = after;
        }
      }
    }
  }
}

// A code that rounding leaves just below zero must not be taken for a negative one by the next active set, which would
// let it fall freely. More atoms than features and a small threshold: many coordinates leave the support again.
TYPED_TEST(Descend, PositiveCodesNeverFallBelowZero) {
  using T = TypeParam;
  constexpr std::size_t kSize = 20, kRank = 12;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Matrix<double> atoms = random_unit_rows(kSize, kRank, seed);
    const Matrix<double> h = naive_product(atoms, naive_transpose(atoms));
    const Matrix<double> b = naive_product(random_unit_rows(1, kRank, 1000 + seed), naive_transpose(atoms));
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      DescentCase<T> one(kSize, true, seed);
      for (std::size_t i = 0; i < kSize; ++i) {
        for (std::size_t j = 0; j < kSize; ++j) one.gram(i, j) = static_cast<T>(h(i, j));
        one.diagonal[i] = one.gram(i, i);
        one.inverse_diagonal[i] = T{1} / one.gram(i, i);
        one.b[i] = one.r[i] = static_cast<T>(b(0, i));
      }
      one.lambda = T(3e-3);
      one.from_zero = true;
      one.active_limit = kSize;
      one.run(kernel, one.lambda * static_cast<T>(Tolerance<T>::kKkt), 10000);
      for (const T value : one.u) ASSERT_GE(value, T{0}) << kernel.name << ", seed " << seed;
    }
  }
}

TYPED_TEST(Descend, TheSumsOfACodeAreThoseOfTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    for (const bool positive : {false, true}) {
      DescentCase<T> one(n, positive, 400 + n);
      one.run(scalar_kernels<T>(), T{0}, 2);
      const CodeSums expected =
          scalar_kernels<T>().summarise(one.u.data(), one.b.data(), one.r.data(), n, one.lambda, positive);
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        const CodeSums sums = kernel.summarise(one.u.data(), one.b.data(), one.r.data(), n, one.lambda, positive);
        const double tolerance = 100 * static_cast<double>(n) * Tolerance<T>::kEpsilon;
        EXPECT_EQ(sums.nonzeros, expected.nonzeros) << kernel.name;
        EXPECT_NEAR(sums.abs, expected.abs, tolerance) << kernel.name;
        EXPECT_NEAR(sums.ub, expected.ub, tolerance) << kernel.name;
        EXPECT_NEAR(sums.ur, expected.ur, tolerance) << kernel.name;
        EXPECT_EQ(sums.pull, expected.pull) << kernel.name;
        EXPECT_NEAR(sums.slack, expected.slack, tolerance) << kernel.name;
        EXPECT_GE(sums.slack, 0.0);
      }
    }
  }
}

TYPED_TEST(Descend, AnOptimalCodeIsLeftAlone) {
  using T = TypeParam;
  for (const Kernels<T>& kernel : all_kernels<T>()) {
    DescentCase<T> one(33, false, 5);
    const T tolerance = one.lambda * static_cast<T>(Tolerance<T>::kKkt);
    one.run(kernel, tolerance, 10000);
    const std::vector<T> before = one.u;
    const auto report = one.run(kernel, tolerance, 10000);
    EXPECT_EQ(report.sweeps, 0u) << kernel.name;
    EXPECT_EQ(one.u, before) << kernel.name;
  }
}

TYPED_TEST(Descend, ACoordinateWithoutCurvatureDoesNotMove) {
  using T = TypeParam;
  for (const std::size_t dead : {0u, 3u, 36u}) {
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      DescentCase<T> one(37, false, 6);
      for (std::size_t j = 0; j < 37; ++j) one.gram(dead, j) = one.gram(j, dead) = 0;
      one.diagonal[dead] = one.inverse_diagonal[dead] = 0;
      one.b[dead] = one.r[dead] = 0;
      const auto report = one.run(kernel, T(1e-4), 1000);
      EXPECT_LE(report.kkt, T(1e-4));
      EXPECT_EQ(one.u[dead], T{0}) << kernel.name;
    }
  }
}

}  // namespace
}  // namespace dualdict
