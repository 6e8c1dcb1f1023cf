// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/tau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

const Interrupt kNever(nullptr);
LearnProgress unwatched;

TEST(TauSearch, LearningEndsNearTheWantedNumberOfNonzeros) {
  const Matrix<double> samples = planted_samples(600, 16, 24, 1);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const double wanted : {1.5, 4.0, 10.0}) {
      LearnOptions options = small_options(24, 0, solver);
      options.tau.reset();
      options.nonzeros = wanted;
      options.max_iterations = 100;
      const LearnResult result = fit(samples, options);
      EXPECT_NEAR(result.summary.nonzeros_per_code, wanted, 0.05 * wanted)
          << describe(options) << " " << result.summary.message;
      EXPECT_EQ(*result.summary.used.tau, result.summary.tau);
      EXPECT_FALSE(result.summary.given.tau.has_value());
    }
  }
}

// Learned with denser codes, coded with the wanted ones: also on samples that nothing was learned from, in every mode.
TEST(TauSearch, TheWantedNumberIsThatOfUnseenSamplesInEveryMode) {
  const Matrix<double> all = planted_samples(4000, 24, 32, 5);
  const auto source = make_source(all.view().row_range(0, 2500));
  const auto unseen = make_source(all.view().row_range(2500, 1500));
  LearnContext context;
  context.validation = unseen.get();
  for (const double wanted : {1.5, 3.0, 5.0}) {
    LearnOptions options = small_options(32, 0);
    options.tau.reset();
    options.nonzeros = wanted;
    const LearnResult result = learn(*source, options, context);
    const ModelParts& parts = result.model.parts();
    EXPECT_NEAR(result.summary.nonzeros_per_code, wanted, 0.05 * wanted) << result.summary.message;
    EXPECT_EQ(parts.eta, 0);
    EXPECT_NEAR(*parts.learning_eta, 0.03 * 32 / 24, 1e-12);
    EXPECT_LT(*parts.learning_tau, parts.tau);
    EXPECT_EQ(default_mode(result.model), "greedy");
    const auto error_of = [&](const std::string& mode) {
      for (const EncodingRow& row : parts.provenance.encoding.rows)
        if (row.mode == mode) return std::min(row.reconstruction_error, row.debiased_reconstruction_error);
      return std::numeric_limits<double>::quiet_NaN();
    };
    EXPECT_LT(error_of("greedy"), error_of("sparse"));
    for (const EncodingRow& row : parts.provenance.encoding.rows)
      for (const char* mode : {"sparse", "corrected", "exact", "greedy"})
        if (row.mode == mode) {
          EXPECT_NEAR(row.nonzeros, wanted, 0.1 * wanted) << mode;
        }
  }
}

TEST(TauSearch, StaysWhereItIsNearEnough) {
  TauSearch search(10);
  EXPECT_EQ(search.next(0.3, 10.1), 0.3);
  EXPECT_EQ(search.next(0.3, 9.9), 0.3);
  EXPECT_GT(search.next(0.3, 12), 0.3);
}

TEST(TauSearch, MovesBoundedOften) {
  TauSearch search(10);
  double tau = 1;
  int moves = 0;
  for (int i = 0; i < 1000; ++i) {
    const double next = search.next(tau, i % 2 == 0 ? 50.0 : 1.0);
    moves += next != tau ? 1 : 0;
    ASSERT_TRUE(std::isfinite(next) && next > 0);
    tau = next;
  }
  EXPECT_LE(moves, 60);
}

TEST(TauSearch, FindsItsWayBackFromSilence) {
  TauSearch search(10);
  const double next = search.next(5, 0);
  EXPECT_LT(next, 5);
  EXPECT_GT(next, 0);
}

// The documented default: a tenth of the mean, over the samples, of the tau that silences a sample at the start.
TEST(DefaultTau, IsATenthOfTheMeanSilencingTau) {
  const Matrix<double> samples = planted_samples(300, 10, 12, 2);
  LearnOptions options = small_options(12, 0, Solver::kFast, DType::kFloat64);
  options.tau.reset();
  options.initial_dictionary = random_unit_rows(12, 10, 3);
  options.max_iterations = 3;
  std::string said;
  LearnContext context;
  context.hooks.on_message = [&](const std::string& message) { said += message + "\n"; };
  const LearnResult result = fit(samples, options, context);
  Objective objective = objective_of(result);
  objective.eta = *result.summary.used.eta;
  double sum = 0;
  const std::vector<double> zero(12);
  for (std::size_t i = 0; i < 300; ++i) {
    double largest = 0;
    for (const double b :
         naive_pull(objective, options.initial_dictionary, options.initial_dictionary, samples.row(i), zero.data()))
      largest = std::max(largest, std::abs(b));
    sum += 12 * largest;
  }
  EXPECT_NEAR(result.summary.tau, 0.1 * sum / 300, 1e-6 * sum / 300);
  EXPECT_NE(said.find("default"), std::string::npos) << said;
}

TEST(SilencingTau, OfPositiveCodesLooksAtPositivePullsOnly) {
  CodeProblem<double> problem;
  Objective objective;
  objective.n_features = 2;
  objective.n_atoms = 1;
  objective.positive_codes = true;
  Matrix<double> atom(1, 2);
  atom(0, 0) = 1;
  problem.assign(objective, atom, atom);
  Samples<double> samples;
  samples.x = Matrix<double>(2, 2);
  samples.x(0, 0) = -8;
  samples.x(1, 0) = 3;
  ThreadPool pool(1);
  const SilencingTau tau = silencing_tau(problem, samples, {pool, kNever, unwatched});
  EXPECT_DOUBLE_EQ(tau.largest, 1.5);  // (K/d) d'x = 3/2
  EXPECT_DOUBLE_EQ(tau.mean, 0.75);
}

// Most samples are left out by a bound of what can pull at them: nothing of the largest may be lost.
template <class T>
void expect_the_same_largest(const Samples<T>& samples, double eta, bool positive) {
  const std::size_t n_atoms = 14;
  Objective objective;
  objective.n_features = samples.n_features();
  objective.n_atoms = n_atoms;
  objective.eta = eta;
  objective.positive_codes = positive;
  const Matrix<double> dictionary = random_unit_rows(n_atoms, samples.n_features(), 5);
  CodeProblem<T> problem;
  problem.assign(objective, dictionary, random_unit_rows(n_atoms, samples.n_features(), 6));
  for (const std::size_t n_threads : {1u, 3u}) {
    ThreadPool pool(n_threads);
    EXPECT_EQ(tau_max(problem, samples, pool), silencing_tau(problem, samples, {pool, kNever, unwatched}).largest)
        << samples.n_samples() << " samples, eta " << eta << (positive ? ", positive" : "");
  }
}

TEST(TauMax, IsTheLargestSilencingTau) {
  for (const std::size_t n : {1u, 255u, 256u, 3000u}) {
    for (const bool unit : {false, true}) {
      Matrix<double> x = random_unit_rows(n, 9, n);
      Random random(n, 3);
      for (std::size_t i = 0; i < n; ++i) {
        const double length = unit ? 1 : std::exp(random.normal());
        for (std::size_t j = 0; j < 9; ++j) x(i, j) *= length;
      }
      Samples<double> doubles;
      doubles.x = x;
      Samples<float> floats;
      floats.x = convert<float>(x);
      for (const double eta : {0.0, 1.0})
        for (const bool positive : {false, true}) {
          expect_the_same_largest(doubles, eta, positive);
          expect_the_same_largest(floats, eta, positive);
        }
    }
  }
  Samples<float> zeros;
  zeros.x = Matrix<float>(300, 9);
  expect_the_same_largest(zeros, 1, false);
}

}  // namespace
}  // namespace dualdict
