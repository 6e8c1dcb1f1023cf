// SPDX-License-Identifier: BSD-3-Clause
// Where the paper misleads (docs/maths.md), each trap a test named after it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "learn/fit/stopping.h"
#include "learn/fit_case.h"
#include "linalg/symmetric.h"
#include "solvers/code_case.h"

namespace dualdict {
namespace {

// FISTA for `iterations` steps from zero with a given curvature.
Matrix<double> raw_fista(const CodeCase& one, double curvature, std::size_t iterations) {
  CodeProblem<double> problem;
  problem.assign(one.objective, one.dictionary, one.dual);
  CodeWorkspace<double> work;
  work.reserve(one.objective.n_atoms, CodeMethod::kFista);
  multiply<double>(plain(one.samples.view()), problem.weights, work.linear.view().row_range(0, one.samples.rows()));
  Matrix<double> u(one.samples.rows(), one.objective.n_atoms);
  codes_by_fista<double>(problem, curvature, {.method = CodeMethod::kFista, .tolerance = 0, .max_sweeps = iterations},
                         work, u.view());
  return u;
}

// The paper: sigma_U = (a + b)/2d + eta/K with a, b the extreme eigenvalues of D'D.
double papers_sigma(const CodeCase& one) {
  const SymmetricEigen eigen = symmetric_eigen(naive_product(one.dictionary, naive_transpose(one.dictionary)));
  return (std::max(0.0, eigen.values.front()) + eigen.values.back()) / (2 * one.objective.d()) +
         one.objective.coding_weight();
}

TEST(Traps, FistaWithThePapersSigmaDiverges) {
  for (const double eta : {0.0, 1.0}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CodeCase one(10, 16, 200, seed);
      one.objective.eta = eta;
      const double start = one.energy(Matrix<double>(10, 200));
      const double diverged = one.energy(raw_fista(one, papers_sigma(one), 300));
      EXPECT_TRUE(!(diverged < 1e6 * start)) << "E = " << diverged << " from " << start;
      CodeReport report;
      const Matrix<double> ours =
          one.codes<double>(report, {.method = CodeMethod::kFista, .tolerance = 1e-6, .max_sweeps = 20000});
      EXPECT_LT(one.energy(ours), start);
      EXPECT_LE(one.worst_kkt(ours), 1e-6);
    }
  }
}

TEST(Traps, FistaIsNotMonotoneButTheStepIs) {
  CodeCase one(10, 16, 40, 5);
  one.objective.eta = 0;
  CodeProblem<double> problem;
  problem.assign(one.objective, one.dictionary, one.dual);
  problem.find_largest_curvature();
  int rises = 0;
  std::vector<double> previous(10, INFINITY);
  for (std::size_t iterations = 1; iterations <= 100; ++iterations) {
    const Matrix<double> u = raw_fista(one, problem.largest_curvature, iterations);
    for (std::size_t i = 0; i < 10; ++i) {
      const double energy =
          naive_sample_energy(one.objective, one.dictionary, one.dual, one.samples.row(i), u.row(i)).total();
      rises += energy > previous[i] * (1 + 1e-12) ? 1 : 0;
      previous[i] = energy;
    }
  }
  EXPECT_GT(rises, 0) << "the raw iteration was monotone here: the test no longer shows why the step is guarded";
  // The guarded step, from where the last one ended, with budgets that end anywhere in the oscillation.
  Matrix<double> u(10, 40);
  double energy = one.energy(u);
  for (std::size_t budget = 1; budget <= 60; ++budget) {
    one.solve(u, {.method = CodeMethod::kFista, .tolerance = 0, .max_sweeps = budget});
    EXPECT_LE(one.energy(u), energy * (1 + 1e-13)) << "budget " << budget;
    energy = one.energy(u);
  }
}

TEST(Traps, EnergyHistoryShorterThanH) {
  StoppingRule rule(1e-3, 10, 1e-12);
  rule.restart(100);
  // Dividing by H = 10 would give a mean of 10 and a rise of 800 %.
  EXPECT_DOUBLE_EQ(rule.advance(90), 0.1);
  EXPECT_DOUBLE_EQ(rule.advance(80), 15.0 / 95);
  EXPECT_DOUBLE_EQ(rule.advance(70), 20.0 / 90);
}

TEST(Traps, LooseInnerStepsDoNotFakeConvergence) {
  const Matrix<double> samples = planted_samples(600, 16, 20, 6);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      LearnOptions options = small_options(20, 0.2, solver, dtype);
      options.max_iterations = 400;
      const LearnResult loose = fit(samples, options);
      options.inner_tolerance /= 10;
      const LearnResult tight = fit(samples, options);
      EXPECT_EQ(loose.summary.outcome, Outcome::kConverged) << describe(options);
      EXPECT_EQ(tight.summary.outcome, Outcome::kConverged) << describe(options);
      EXPECT_TRUE(loose.summary.iterations.back().accurate);
      const double change = std::abs(loose.summary.energy.total() / tight.summary.energy.total() - 1);
      EXPECT_LT(change, 10 * options.rtol) << describe(options);
    }
  }
}

// rtol = 1 is met at once; the outcome must wait for steps that are accurate all the same.
TEST(Traps, TheStoppingRuleNeverFiresOnACheapStep) {
  const Matrix<double> samples = planted_samples(400, 16, 30, 14);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      LearnOptions options = small_options(40, 0.05, solver, dtype);
      options.eta = 0.01;
      options.rtol = 1;
      const LearnResult result = fit(samples, options);
      EXPECT_EQ(result.summary.outcome, Outcome::kConverged) << describe(options);
      const IterationRecord& last = result.summary.iterations.back();
      EXPECT_TRUE(last.accurate) << describe(options);
      // r_j within 1e-3 tau/K of its condition bounds the gap by little more than twice that share of E.
      EXPECT_LE(last.duality_gap, 3e-3) << describe(options);
    }
  }
}

// At tau = eta = 0 a dictionary of short atoms that reconstructs everything is optimal; on the sphere it would move.
TEST(Traps, BallNotSphere) {
  const Matrix<double> samples = random_samples(100, 3, 7);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    LearnOptions options = small_options(3, 0, solver, DType::kFloat64);
    options.eta = 0;
    options.initial_dictionary = Matrix<double>(3, 3);
    for (std::size_t i = 0; i < 3; ++i) options.initial_dictionary(i, i) = 0.25 * static_cast<double>(i + 1);
    options.max_iterations = 5;
    const LearnResult result = fit(samples, options);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(norm(result.model.dictionary().row(i), 3), 0.25 * static_cast<double>(i + 1), 1e-3)
          << describe(options);
  }
}

TEST(Traps, AZeroRowIsNeverNormalised) {
  const Matrix<double> samples = planted_samples(100, 6, 8, 8);
  LearnOptions options = small_options(8, 1e3);
  options.initial_dictionary = random_unit_rows(8, 6, 1);
  for (std::size_t f = 0; f < 6; ++f) options.initial_dictionary(4, f) = 0;
  options.replace_below = 0;
  const LearnResult result = fit(samples, options);
  EXPECT_TRUE(all_finite(result.model.dictionary()));
  EXPECT_EQ(norm(result.model.dictionary().row(4), 6), 0.0);
}

// Centred samples and a feature that is always zero: C must say nothing about what the data never show.
TEST(Traps, SingularSecondMoments) {
  Matrix<double> samples = planted_samples(300, 10, 12, 9);
  for (std::size_t i = 0; i < 300; ++i) {
    samples(i, 0) = 0;
    double mean = 0;
    for (std::size_t f = 1; f < 10; ++f) mean += samples(i, f) / 9;
    for (std::size_t f = 1; f < 10; ++f) samples(i, f) -= mean;
  }
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    LearnOptions options = small_options(12, 0.2, Solver::kFast, dtype);
    options.initial_dual = random_unit_rows(12, 10, 3);
    options.max_iterations = 20;
    const LearnResult result = fit(samples, options);
    const Matrix<double>& dual = result.model.dual();
    for (std::size_t k = 0; k < 12; ++k) {
      double sum = 0;
      for (std::size_t f = 1; f < 10; ++f) sum += dual(k, f);
      EXPECT_NEAR(dual(k, 0), 0, 1e-6) << describe(options);
      EXPECT_NEAR(sum, 0, 1e-5) << describe(options);
    }
    EXPECT_GT(largest_row_norm(dual), 0.1);
  }
}

TEST(Traps, AllCodesZero) {
  const Matrix<double> samples = planted_samples(200, 8, 10, 10);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const LearnOptions options = small_options(10, 1e4, solver, dtype);
      const LearnResult result = fit(samples, options);
      EXPECT_EQ(result.summary.outcome, Outcome::kTrivial) << describe(options);
      EXPECT_EQ(result.summary.replaced_atoms, 0u);
      EXPECT_EQ(result.summary.nonzeros_per_code, 0);
      EXPECT_EQ(result.summary.n_iterations, 1u);
      EXPECT_NE(result.summary.message.find("tau_max"), std::string::npos) << result.summary.message;
      EXPECT_NEAR(result.summary.energy.reconstruction, squared_norm(samples) / 8, 1e-6 * squared_norm(samples));
      EXPECT_TRUE(all_finite(result.model.dictionary()) && all_finite(result.model.dual()));
    }
  }
}

TEST(Traps, AllSamplesZero) {
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      for (const bool choose_tau : {false, true}) {
        LearnOptions options = small_options(10, 0.1, solver, dtype);
        if (choose_tau) options.tau.reset();
        const LearnResult result = fit(Matrix<double>(50, 6), options);
        EXPECT_EQ(result.summary.outcome, Outcome::kConverged) << describe(options);
        EXPECT_EQ(result.summary.energy.total(), 0.0);
        EXPECT_EQ(result.summary.replaced_atoms, 0u);
        EXPECT_TRUE(all_finite(result.model.dictionary()) && all_finite(result.model.dual()));
        EXPECT_LE(largest_row_norm(result.model.dictionary()), 1 + 1e-6);
      }
    }
  }
}

// Every shape that is legal but odd ends with a proper outcome and the right E.
void expect_sound(const Matrix<double>& samples, LearnOptions options) {
  options.max_iterations = 30;
  options.eta = 0.05;  // with 0 the naive codes would need far more sweeps
  const LearnResult result = fit(samples, options);
  const Outcome outcome = result.summary.outcome;
  EXPECT_TRUE(outcome == Outcome::kConverged || outcome == Outcome::kIterationLimit) << result.summary.message;
  EXPECT_TRUE(all_finite(result.model.dictionary()) && all_finite(result.model.dual())) << describe(options);
  EXPECT_LE(largest_row_norm(result.model.dictionary()), 1 + ball_tolerance(options.dtype)) << describe(options);
  EXPECT_LE(largest_row_norm(result.model.dual()), 1 + ball_tolerance(options.dtype)) << describe(options);
  const double expected = naive_energy(objective_of(result), result.model.dictionary(), result.model.dual(), samples,
                                       codes_of(result, samples))
                              .total();
  EXPECT_NEAR(result.summary.energy.total(), expected, energy_tolerance(options.dtype) * squared_norm(samples))
      << describe(options);
}

TEST(Traps, MoreAtomsThanSamples) {
  for (const Solver solver : {Solver::kFast, Solver::kFista})
    for (const DType dtype : {DType::kFloat32, DType::kFloat64})
      for (const std::size_t n : {1u, 2u, 5u})
        expect_sound(random_samples(n, 6, n), small_options(12, 0.1, solver, dtype));
}

TEST(Traps, OneFeature) {
  for (const Solver solver : {Solver::kFast, Solver::kFista})
    for (const DType dtype : {DType::kFloat32, DType::kFloat64})
      for (const std::size_t k : {1u, 3u}) expect_sound(random_samples(50, 1, k), small_options(k, 0.1, solver, dtype));
}

TEST(Traps, OneSampleOneAtomOneFeature) {
  for (const Solver solver : {Solver::kFast, Solver::kFista})
    for (const DType dtype : {DType::kFloat32, DType::kFloat64})
      expect_sound(random_samples(1, 1, 4), small_options(1, 0.1, solver, dtype));
}

// Samples along one line need one atom; the other nine are replaced now and then, but not for ever.
TEST(Traps, ReplacementIsBounded) {
  Matrix<double> samples(300, 6);
  Random random(11);
  for (std::size_t i = 0; i < 300; ++i) {
    const double length = random.normal();
    for (std::size_t f = 0; f < 6; ++f) samples(i, f) = length * static_cast<double>(f + 1) / 10;
  }
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    LearnOptions options = small_options(10, 0.5, solver);
    options.eta = 0;
    options.max_iterations = 60;
    const LearnResult result = fit(samples, options);
    EXPECT_LE(result.summary.replaced_atoms, 3u * 10u);
    EXPECT_EQ(result.summary.iterations.back().replaced_atoms, 0u);
    EXPECT_EQ(result.summary.outcome, Outcome::kConverged) << result.summary.message;
  }
}

TEST(Traps, EtaZeroFitsTheDualOnceAtTheEnd) {
  const Matrix<double> samples = planted_samples(300, 10, 12, 12);
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      LearnOptions options = small_options(12, 0.2, solver, dtype);
      options.eta = 0;
      options.max_iterations = 10;
      const LearnResult result = fit(samples, options);
      for (const IterationRecord& record : result.summary.iterations) EXPECT_EQ(record.dual_change, 0.0);
      EXPECT_EQ(result.summary.energy.coding, 0.0);
      // Optimal for |U - CX|^2 over the ball: no filter can be improved along its gradient.
      const Matrix<double> codes = codes_of(result, samples);
      const Matrix<double>& dual = result.model.dual();
      double gap = 0;
      for (std::size_t k = 0; k < 12; ++k) {
        std::vector<double> gradient(10);
        for (std::size_t i = 0; i < 300; ++i) {
          const double miss = naive_prediction(dual, samples.row(i))[k] - codes(i, k);
          for (std::size_t f = 0; f < 10; ++f) gradient[f] += 2 * miss * samples(i, f);
        }
        gap += dot(gradient.data(), dual.row(k), 10) + std::sqrt(naive_square(gradient));
      }
      EXPECT_LE(gap, 1e-3 * squared_norm(codes)) << describe(options);
    }
  }
}

// The largest part of an atom outside the span of the first principal components.
double outside_principal_span(const Matrix<double>& samples, const Matrix<double>& atoms) {
  const SymmetricEigen eigen = symmetric_eigen(naive_product(naive_transpose(samples), samples));
  const std::size_t d = samples.cols();
  double largest = 0;
  for (std::size_t k = 0; k < atoms.rows(); ++k) {
    double square = 0;
    for (std::size_t i = 0; i < d - atoms.rows(); ++i) {  // eigenvalues ascend: these are not principal
      double along = 0;
      for (std::size_t f = 0; f < d; ++f) along += eigen.vectors(i, f) * atoms(k, f);
      square += along * along;
    }
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

TEST(Traps, OnlyAccurateStepsReachThePrincipalSpan) {
  // The paper's first experiment: positive vectors, near to each other.
  Random random(14);
  Matrix<double> basis(15, 25);
  for (std::size_t i = 0; i < basis.size(); ++i) basis.data()[i] = random.uniform() / 3;
  Matrix<double> samples = naive_product(random_matrix<double>(1000, 15, 15), basis);
  for (std::size_t i = 0; i < samples.size(); ++i) samples.data()[i] += 0.02 * random.normal();
  LearnOptions options = small_options(15, 0.0, Solver::kFast, DType::kFloat64);
  options.eta = 1;
  options.mu = 1e-5;
  options.rtol = 0;
  options.max_iterations = 30;
  options.inner_tolerance = 1e-14;
  EXPECT_GT(outside_principal_span(samples, fit(samples, options).model.dictionary()), 1e-7)
      << "cheap steps were enough here: the test no longer shows what the option is for";
  options.accurate_steps = true;
  const LearnResult result = fit(samples, options);
  EXPECT_LT(outside_principal_span(samples, result.model.dictionary()), 1e-7);
  // Nothing happens before the first iteration, and no step leads ahead.
  EXPECT_EQ(result.summary.iterations.size(), 30u);
  for (const IterationRecord& record : result.summary.iterations) EXPECT_FALSE(record.extrapolated);
}

TEST(Traps, EffectiveWeightsAreReported) {
  LearnOptions options = small_options(20, 0.3);
  options.eta = 0.5;
  options.max_iterations = 2;
  std::string said;
  LearnContext context;
  context.hooks.on_message = [&](const std::string& message) { said += message + "\n"; };
  const LearnResult result = fit(planted_samples(200, 10, 12, 13), options, context);
  EXPECT_DOUBLE_EQ(result.summary.coding_weight, 0.5 * 10 / 20);
  EXPECT_DOUBLE_EQ(result.summary.threshold, 0.3 * 10 / 20);
  EXPECT_NE(said.find("tau_max"), std::string::npos) << said;
  EXPECT_NE(said.find("eta d/K = 0.25"), std::string::npos) << said;
  EXPECT_NE(said.find("tau d/K = 0.15"), std::string::npos) << said;
}

}  // namespace
}  // namespace dualdict
