// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/dictionary_step.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>

#include "linalg/vectors.h"
#include "solvers/moment_case.h"

namespace dualdict {
namespace {

using Step = StepReport (*)(const Objective&, const Moments&, const DictionaryStepOptions&, Matrix<double>&);
constexpr Step kSteps[] = {dictionary_step_fast, dictionary_step_fista};

DictionaryStepOptions budget(std::size_t passes, std::size_t fista, double gap = 0) {
  return {.gap_tolerance = gap, .max_passes = passes, .max_fista_iterations = fista};
}

void expect_in_the_ball(const Matrix<double>& rows, bool positive) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    EXPECT_LE(norm(rows.row(i), rows.cols()), 1 + 1e-12);
    for (std::size_t f = 0; f < rows.cols(); ++f) EXPECT_TRUE(!positive || rows(i, f) >= 0);
  }
}

std::vector<MomentCase> cases() {
  std::vector<MomentCase> all;
  for (const bool positive : {false, true}) {
    for (const auto& [n, d, k] :
         {std::array<std::size_t, 3>{60, 8, 12}, {60, 8, 40}, {5, 8, 12}, {60, 1, 3}, {1, 4, 1}}) {
      MomentCase one(n, d, k, n + d + k);
      one.objective.atoms.positive = positive;
      if (positive)
        for (std::size_t i = 0; i < one.dictionary.size(); ++i)
          one.dictionary.data()[i] = std::abs(one.dictionary.data()[i]);
      all.push_back(std::move(one));
    }
  }
  return all;
}

TEST(DictionaryStep, MovesAlikeWhenNobodyAsksForTheGap) {
  for (const MomentCase& one : cases()) {
    MomentCase certified = one, hasty = one;
    dictionary_step_fast(one.objective, one.moments, budget(2, 0), certified.dictionary);
    DictionaryStepOptions options = budget(2, 0);
    options.certify = false;
    const StepReport report = dictionary_step_fast(one.objective, one.moments, options, hasty.dictionary);
    EXPECT_EQ(hasty.dictionary, certified.dictionary);
    EXPECT_EQ(report.iterations, 2u);
    EXPECT_TRUE(std::isinf(report.gap));
  }
}

TEST(DictionaryStep, LowersTheEnergyOfThousandsOfAtomsToo) {
  MomentCase one(300, 3, 1100, 7);
  double before = one.energy().total();
  for (int pass = 0; pass < 3; ++pass) {
    dictionary_step_fast(one.objective, one.moments, budget(1, 0), one.dictionary);
    EXPECT_LT(one.energy().total(), before);
    before = one.energy().total();
    expect_in_the_ball(one.dictionary, false);
  }
}

TEST(DictionaryStep, HasTheSameBitsForAnyNumberOfThreads) {
  const MomentCase one(90, 7, 150, 11);
  for (const Step step : kSteps) {
    Matrix<double> alone = one.dictionary;
    step(one.objective, one.moments, budget(6, 6), alone);
    for (const std::size_t n_threads : {2u, 5u}) {
      ThreadPool pool(n_threads);
      DictionaryStepOptions options = budget(6, 6);
      options.pool = &pool;
      Matrix<double> shared = one.dictionary;
      step(one.objective, one.moments, options, shared);
      EXPECT_EQ(shared, alone) << n_threads;
    }
  }
}

TEST(DictionaryStep, LeavesTheDictionaryAsItWasWhenItIsInterrupted) {
  const std::atomic<bool> wish = true;
  const MomentCase one(60, 8, 40, 12);
  for (const Step step : kSteps) {
    for (const double patience : {0.0, 0.02}) {  // at once, and when the step is under way
      const Interrupt interrupt(&wish, patience);
      DictionaryStepOptions options = budget(100'000'000, 100'000'000);
      options.interrupt = &interrupt;
      Matrix<double> dictionary = one.dictionary;
      EXPECT_THROW(step(one.objective, one.moments, options, dictionary), Interrupted);
      EXPECT_EQ(dictionary, one.dictionary);
    }
  }
}

TEST(DictionaryStep, NeverRaisesTheEnergy) {
  for (MomentCase& one : cases()) {
    for (const Step step : kSteps) {
      MomentCase run = one;
      double before = run.energy().total();
      for (int round = 0; round < 8; ++round) {
        step(run.objective, run.moments, budget(1, round % 3 == 0 ? 1 : 7), run.dictionary);
        const double after = run.energy().total();
        ASSERT_LE(after, before * (1 + 1e-12));
        before = after;
        expect_in_the_ball(run.dictionary, run.objective.atoms.positive);
      }
    }
  }
}

TEST(DictionaryStep, ItsGapBoundsWhatIsLeft) {
  for (MomentCase& one : cases()) {
    MomentCase best = one;
    const StepReport optimum =
        dictionary_step_fista(best.objective, best.moments, budget(0, 50000, 1e-11), best.dictionary);
    const double least = best.energy().total();
    EXPECT_LE(optimum.gap, 1e-6 * least + 1e-9);
    for (const Step step : kSteps) {
      for (const std::size_t effort : {1u, 3u, 20u}) {
        MomentCase run = one;
        const StepReport report = step(run.objective, run.moments, budget(effort, effort), run.dictionary);
        EXPECT_GE(report.gap, run.energy().total() - least - 1e-10 * least) << "effort " << effort;
      }
    }
  }
}

TEST(DictionaryStep, BothMethodsReachTheSameOptimum) {
  for (MomentCase& one : cases()) {
    const double scale = one.energy().total();
    double energies[2];
    for (int method = 0; method < 2; ++method) {
      MomentCase run = one;
      const StepReport report =
          kSteps[method](run.objective, run.moments, budget(20, 20000, 1e-9 * scale), run.dictionary);
      EXPECT_LE(report.gap, 1e-9 * scale);
      energies[method] = run.energy().total();
    }
    EXPECT_NEAR(energies[0], energies[1], 2e-9 * scale);
  }
}

// From atoms that know nothing of the samples, coordinate descent alone crawls; the step must still arrive.
TEST(DictionaryStep, ArrivesFromFarAway) {
  MomentCase one(200, 10, 15, 3);
  for (std::size_t i = 0; i < one.dictionary.rows(); ++i)
    for (std::size_t f = 0; f < 10; ++f) one.dictionary(i, f) = f == 0 ? 1.0 : 0.0;
  const double scale = one.energy().total();
  const StepReport report =
      dictionary_step_fast(one.objective, one.moments, budget(5, 5000, 1e-8 * scale), one.dictionary);
  EXPECT_LE(report.gap, 1e-8 * scale);
}

// X = 0.3 d u': the best atom has length 0.3. On the sphere it would have to be 1.
TEST(DictionaryStep, AnAtomThatWantsToBeShortStaysShort) {
  for (const Step step : kSteps) {
    MomentCase one(40, 6, 2, 4);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t f = 0; f < 6; ++f)
        one.samples(i, f) = 0.3 * one.codes(i, 0) * (f == 1 ? 1.0 : 0.0) + 0.8 * one.codes(i, 1) * (f == 2 ? 1.0 : 0.0);
    one.refresh();
    step(one.objective, one.moments, budget(200, 5000), one.dictionary);
    EXPECT_NEAR(one.dictionary(0, 1), 0.3, 1e-6);
    EXPECT_NEAR(one.dictionary(1, 2), 0.8, 1e-6);
    EXPECT_NEAR(norm(one.dictionary.row(0), 6), 0.3, 1e-6);
  }
}

TEST(DictionaryStep, AnUnusedAtomIsNotTouched) {
  for (const Step step : kSteps) {
    MomentCase one(40, 6, 5, 5);
    for (std::size_t i = 0; i < 40; ++i) one.codes(i, 3) = 0;
    for (std::size_t f = 0; f < 6; ++f) one.dictionary(3, f) *= 0.5;
    one.refresh();
    const Matrix<double> before = one.dictionary;
    step(one.objective, one.moments, budget(10, 100), one.dictionary);
    for (std::size_t f = 0; f < 6; ++f) EXPECT_EQ(one.dictionary(3, f), before(3, f));
    EXPECT_NE(one.dictionary(0, 0), before(0, 0));
  }
}

// Sums that fade leave next to nothing of an atom that is no longer used: one over it is infinite.
TEST(DictionaryStep, AnAtomWhoseSumsHaveFadedIsNotTouched) {
  MomentCase one(40, 6, 5, 5);
  for (const double faded : {1e-310, 1e-200, 1e-40}) {
    for (std::size_t i = 0; i < 40; ++i) one.codes(i, 3) = 0;
    one.refresh();
    one.moments.uu(3, 3) = faded;
    for (std::size_t f = 0; f < 6; ++f) one.moments.ux(3, f) = faded;
    const Matrix<double> before = one.dictionary;
    dictionary_step_fast(one.objective, one.moments, budget(10, 0), one.dictionary);
    for (std::size_t f = 0; f < 6; ++f) EXPECT_EQ(one.dictionary(3, f), before(3, f));
    for (std::size_t i = 0; i < one.dictionary.size(); ++i) EXPECT_TRUE(std::isfinite(one.dictionary.data()[i]));
  }
}

TEST(DictionaryStep, TheOptimumIsAFixedPoint) {
  for (const Step step : kSteps) {
    MomentCase one(80, 8, 6, 6);
    step(one.objective, one.moments, budget(500, 20000), one.dictionary);
    const Matrix<double> before = one.dictionary;
    step(one.objective, one.moments, budget(5, 50), one.dictionary);
    EXPECT_LE(relative_change(one.dictionary, before), 1e-7);
  }
}

TEST(DictionaryStep, ZeroCodesLeaveEverythingAsItIs) {
  for (const Step step : kSteps) {
    MomentCase one(10, 4, 3, 7);
    one.codes = Matrix<double>(10, 3);
    one.refresh();
    const Matrix<double> before = one.dictionary;
    const StepReport report = step(one.objective, one.moments, budget(5, 50), one.dictionary);
    EXPECT_EQ(one.dictionary, before);
    EXPECT_EQ(report.gap, 0.0);
  }
}

TEST(EnergyFromMoments, AgreesWithTheDefinitionTermByTerm) {
  for (MomentCase& one : cases()) {
    one.objective.mu = 0.7;
    const Energy expected = one.energy();
    const Energy energy = energy_from_moments(one.objective, one.moments, one.dictionary, one.dual);
    const double tolerance = 1e-12 * (expected.total() + one.moments.squared_samples);
    EXPECT_NEAR(energy.reconstruction, expected.reconstruction, tolerance);
    EXPECT_NEAR(energy.coding, expected.coding, tolerance);
    EXPECT_NEAR(energy.l1, expected.l1, tolerance);
    EXPECT_NEAR(energy.l2, expected.l2, tolerance);
  }
}

}  // namespace
}  // namespace dualdict
