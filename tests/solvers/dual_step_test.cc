// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/dual_step.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "linalg/product.h"
#include "linalg/top_spectrum.h"
#include "linalg/vectors.h"
#include "solvers/moment_case.h"

namespace dualdict {
namespace {

constexpr double kCut = 1e-12;

// |U - C X|^2 by its definition.
double mismatch(const MomentCase& one) {
  double sum = 0;
  for (std::size_t i = 0; i < one.samples.rows(); ++i) {
    const std::vector<double> prediction = naive_prediction(one.dual, one.samples.row(i));
    for (std::size_t k = 0; k < prediction.size(); ++k) sum += std::pow(one.codes(i, k) - prediction[k], 2);
  }
  return sum;
}

// Minus half the gradient of row k: X (u_k - X'c_k)'.
std::vector<double> row_pull(const MomentCase& one, std::size_t k) {
  std::vector<double> pull(one.dual.cols());
  for (std::size_t i = 0; i < one.samples.rows(); ++i) {
    const double miss = one.codes(i, k) - naive_prediction(one.dual, one.samples.row(i))[k];
    for (std::size_t f = 0; f < pull.size(); ++f) pull[f] += miss * one.samples(i, f);
  }
  return pull;
}

// Codes so large (scale) that some filters reach the ball, others not.
MomentCase mixed_case(std::uint64_t seed, double scale) {
  MomentCase one(60, 8, 10, seed);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t k = 0; k < 10; ++k) {
      double signal = 0;
      for (std::size_t f = 0; f < 8; ++f) signal += one.dictionary(k, f) * one.samples(i, f);
      one.codes(i, k) = scale * static_cast<double>(k) / 5 * signal + 0.1 * one.codes(i, k);
    }
  one.refresh();
  return one;
}

TEST(DualStep, EveryRowSatisfiesItsOptimalityCondition) {
  std::size_t inside = 0;
  std::size_t on_the_ball = 0;
  for (const double scale : {0.1, 1.0, 10.0, 1e4}) {
    MomentCase one = mixed_case(1, scale);
    DualSolver(one.moments.xx, kCut).step(one.objective, one.moments, one.dual);
    for (std::size_t k = 0; k < 10; ++k) {
      const double length = norm(one.dual.row(k), 8);
      ASSERT_LE(length, 1 + 1e-12);
      const std::vector<double> pull = row_pull(one, k);
      const double strength = norm(one.moments.ux.row(k), 8);
      if (length < 1 - 1e-9) {
        // Inside the ball nothing pulls.
        ++inside;
        EXPECT_LE(std::sqrt(naive_square(pull)), 1e-10 * strength);
      } else {
        // On the ball the pull points outwards along the row: X(u - X'c)' = l c with l >= 0.
        ++on_the_ball;
        const double multiplier = dot(pull.data(), one.dual.row(k), 8);
        EXPECT_GE(multiplier, -1e-10 * strength);
        for (std::size_t f = 0; f < 8; ++f) EXPECT_NEAR(pull[f], multiplier * one.dual(k, f), 1e-9 * strength);
      }
    }
  }
  EXPECT_GT(inside, 5u);
  EXPECT_GT(on_the_ball, 5u);
}

TEST(DualStep, TheExactStepIsNeverAboveFista) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const double scale : {0.1, 1.0, 10.0}) {
      MomentCase exact = mixed_case(seed, scale);
      MomentCase fista = exact;
      const StepReport exact_report =
          DualSolver(exact.moments.xx, kCut).step(exact.objective, exact.moments, exact.dual);
      const StepReport fista_report = dual_step_fista(fista.objective, fista.moments, 0, 20000, fista.dual);
      const double unit = exact.objective.eta / exact.objective.k();
      const double best = unit * mismatch(exact);
      EXPECT_LE(best, unit * mismatch(fista) * (1 + 1e-12));
      EXPECT_GE(fista_report.gap, unit * mismatch(fista) - best - 1e-10 * best);
      EXPECT_LE(exact_report.gap, 1e-9 * best);
      EXPECT_NEAR(unit * mismatch(fista), best, 1e-7 * best);
    }
  }
}

TEST(DualStep, NeitherMethodEverRaisesTheEnergy) {
  for (const double scale : {0.1, 1.0, 10.0}) {
    MomentCase one = mixed_case(7, scale);
    double before = mismatch(one);
    for (int round = 0; round < 10; ++round) {
      const StepReport report = dual_step_fista(one.objective, one.moments, 0, 1 + round, one.dual);
      const double after = mismatch(one);
      ASSERT_LE(after, before * (1 + 1e-12));
      EXPECT_GE(report.gap, 0.0);
      before = after;
    }
    DualSolver(one.moments.xx, kCut).step(one.objective, one.moments, one.dual);
    EXPECT_LE(mismatch(one), before * (1 + 1e-12));
  }
}

TEST(DualStep, TheOptimumIsAFixedPoint) {
  MomentCase one = mixed_case(8, 2);
  const DualSolver solver(one.moments.xx, kCut);
  solver.step(one.objective, one.moments, one.dual);
  const Matrix<double> before = one.dual;
  solver.step(one.objective, one.moments, one.dual);
  EXPECT_LE(relative_change(one.dual, before), 1e-13);
}

// A feature that is always zero, and one that copies another: C has no component along what the data never show.
TEST(DualStep, SingularSecondMomentsGiveTheMinimumNormSolution) {
  MomentCase one(60, 8, 10, 9);
  for (std::size_t i = 0; i < 60; ++i) {
    one.samples(i, 3) = 0;
    one.samples(i, 5) = one.samples(i, 4);
  }
  for (std::size_t i = 0; i < one.codes.size(); ++i) one.codes.data()[i] *= 0.1;
  one.refresh();
  const StepReport report = DualSolver(one.moments.xx, 1e-10).step(one.objective, one.moments, one.dual);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(one.dual(k, 3), 0, 1e-10);
    EXPECT_NEAR(one.dual(k, 4), one.dual(k, 5), 1e-10);
    EXPECT_LE(std::sqrt(naive_square(row_pull(one, k))), 1e-9 * norm(one.moments.ux.row(k), 8));
  }
  EXPECT_LE(report.gap, 1e-9);
}

TEST(DualStep, WithoutSamplesOrCodesTheDualIsZero) {
  MomentCase one(20, 4, 3, 10);
  one.codes = Matrix<double>(20, 3);
  one.refresh();
  DualSolver(one.moments.xx, kCut).step(one.objective, one.moments, one.dual);
  for (std::size_t i = 0; i < one.dual.size(); ++i) EXPECT_EQ(one.dual.data()[i], 0.0);

  MomentCase zero(20, 4, 3, 11);
  zero.samples = Matrix<double>(20, 4);
  zero.refresh();
  DualSolver(zero.moments.xx, kCut).step(zero.objective, zero.moments, zero.dual);
  for (std::size_t i = 0; i < zero.dual.size(); ++i) EXPECT_EQ(zero.dual.data()[i], 0.0);
}

TEST(DualStep, OneFeatureIsARatio) {
  MomentCase one(30, 1, 2, 12);
  DualSolver(one.moments.xx, kCut).step(one.objective, one.moments, one.dual);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(one.dual(k, 0), std::clamp(one.moments.ux(k, 0) / one.moments.xx(0, 0), -1.0, 1.0), 1e-12);
}

// A direction that is cut off still counts for the C that is there: the step may not make it worse.
TEST(DualStep, ARowThatWouldGetWorseStays) {
  MomentCase one = mixed_case(14, 0.5);
  for (std::size_t i = 0; i < 60; ++i) one.samples(i, 3) *= 0.01;
  one.refresh();
  DualSolver(one.moments.xx, kCut).step(one.objective, one.moments, one.dual);
  const Matrix<double> best = one.dual;
  const double before = mismatch(one);
  const DualSolver blunt(one.moments.xx, 1e-2);
  blunt.step(one.objective, one.moments, one.dual);
  EXPECT_LE(mismatch(one), before * (1 + 1e-12));
  // And it would have: from nothing it does not get there.
  one.dual = Matrix<double>(10, 8);
  blunt.step(one.objective, one.moments, one.dual);
  EXPECT_GT(mismatch(one), before * (1 + 1e-9));
}

// With eta = 0 the dual is outside E; the gap is then in units of 1/K |U - C X|^2.
TEST(DualStep, EtaZeroSolvesTheSameLeastSquares) {
  MomentCase with = mixed_case(13, 1);
  MomentCase without = with;
  without.objective.eta = 0;
  DualSolver(with.moments.xx, kCut).step(with.objective, with.moments, with.dual);
  DualSolver(without.moments.xx, kCut).step(without.objective, without.moments, without.dual);
  EXPECT_EQ(with.dual, without.dual);
}

// Few wide samples: their Gram matrix takes the place of XX'. Filters of every length, some on the ball.
MomentCase wide_case(std::size_t n, std::size_t d, std::size_t k) {
  MomentCase one(n, d, k, 21);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < d; ++f) one.samples(i, f) *= std::pow(0.8, static_cast<double>(i % 40));
  const Matrix<double> signal = multiply_transposed<double>(one.samples.view(), one.dictionary.view());
  for (std::size_t i = 0; i < one.codes.size(); ++i)
    one.codes.data()[i] = 3.0 * static_cast<double>(i % k) / static_cast<double>(k) * signal.data()[i];
  one.moments.uu = transposed_multiply<double>(one.codes.view(), one.codes.view());
  one.moments.ux = transposed_multiply<double>(one.codes.view(), one.samples.view());
  one.moments.xx = transposed_multiply<double>(one.samples.view(), one.samples.view());
  one.moments.squared_samples = squared_norm(one.samples);
  return one;
}

TEST(DualStep, FewWideSamplesGiveTheSameFromTheirGramMatrix) {
  MomentCase whole = wide_case(30, 200, 6);
  MomentCase wide = whole;
  wide.moments.root = orthogonal_rows(wide.samples, calling_thread());
  wide.moments.xx = {};
  const Interrupt never(nullptr);
  const StepReport report =
      DualSolver(whole.moments, kCut, calling_thread(), never).step(whole.objective, whole.moments, whole.dual);
  const StepReport wide_report =
      DualSolver(wide.moments, kCut, calling_thread(), never).step(wide.objective, wide.moments, wide.dual);
  EXPECT_LE(relative_change(wide.dual, whole.dual), 1e-9);
  EXPECT_NEAR(wide_report.gap, report.gap, 1e-9 * whole.moments.squared_samples);
  const Energy energy = energy_from_moments(whole.objective, whole.moments, whole.dictionary, whole.dual);
  const Energy wide_energy = energy_from_moments(wide.objective, wide.moments, wide.dictionary, wide.dual);
  EXPECT_NEAR(wide_energy.coding, energy.coding, 1e-9 * energy.total());
}

// Above kWholeSpectrum: descent, whose gap bounds what is missing, and which ends where the whole spectrum does.
TEST(DualStep, AboveTheWholeSpectrumADescentEndsAtTheSameEnergy) {
  const std::size_t d = kWholeSpectrum + 76;
  MomentCase whole = wide_case(60, d, 5);
  MomentCase dense = whole;
  DualSolver(whole.moments.xx, kCut).step(whole.objective, whole.moments, whole.dual);
  const double best = energy_from_moments(whole.objective, whole.moments, whole.dictionary, whole.dual).total();

  const Interrupt never(nullptr);
  const DualSolver solver(dense.moments, kCut, calling_thread(), never);
  ASSERT_TRUE(solver.descends());
  double before = energy_from_moments(dense.objective, dense.moments, dense.dictionary, dense.dual).total();
  for (const std::size_t iterations : {1, 3, 300}) {
    const StepReport report =
        solver.step(dense.objective, dense.moments, dense.dual, {1e-7 * best, iterations, nullptr});
    const double after = energy_from_moments(dense.objective, dense.moments, dense.dictionary, dense.dual).total();
    EXPECT_LE(after, before * (1 + 1e-12));
    EXPECT_GE(report.gap, after - best - 1e-10 * best);
    before = after;
  }
  EXPECT_LE(before, best * (1 + 2e-7));
  for (std::size_t k = 0; k < 5; ++k) EXPECT_LE(norm(dense.dual.row(k), d), 1 + 1e-12);
}

TEST(DualStep, ADescentHearsTheInterruptAndLeavesTheDual) {
  MomentCase one = wide_case(40, kWholeSpectrum + 1, 3);
  const DualSolver solver(one.moments, kCut, calling_thread(), Interrupt(nullptr));
  const std::atomic<bool> flag = true;
  const Interrupt now(&flag);
  const Matrix<double> before = one.dual;
  EXPECT_THROW(solver.step(one.objective, one.moments, one.dual, {0, 100, &now}), Interrupted);
  EXPECT_EQ(one.dual, before);
  EXPECT_THROW(DualSolver(one.moments, kCut, calling_thread(), now), Interrupted);
}

}  // namespace
}  // namespace dualdict
