// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rounds_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "linalg/vectors.h"
#include "problems/planted.h"
#include "problems/random_matrix.h"
#include "solvers/code_step.h"
#include "solvers/pursuit_codes.h"

namespace dualdict {
namespace {

template <class T>
RoundsProblem<T> rounds_problem(const Matrix<double>& dictionary, bool positive = false) {
  RoundsProblem<T> problem;
  problem.assign(dictionary, {}, positive);
  return problem;
}

// |x - b - D u|^2 of row i, from the residual.
template <class T>
double rounds_error(const Matrix<double>& dictionary, double bias, const Matrix<T>& x, const Matrix<T>& u,
                    std::size_t i) {
  double sum = 0;
  for (std::size_t f = 0; f < x.cols(); ++f) {
    double rest = static_cast<double>(x(i, f)) - bias;
    for (std::size_t k = 0; k < dictionary.rows(); ++k) rest -= static_cast<double>(u(i, k)) * dictionary(k, f);
    sum += rest * rest;
  }
  return sum;
}

TEST(RoundsCodes, CostIsThatOfTheResidualAndFallsByTheGains) {
  Matrix<double> dictionary = random_unit_rows(120, 30, 1);
  for (std::size_t k = 0; k < 120; ++k)
    for (std::size_t f = 0; f < 30; ++f) dictionary(k, f) *= k == 2 ? 0.0 : 0.2 + 0.01 * static_cast<double>(k);
  const Matrix<double> x = random_matrix<double>(40, 30, 2);
  RoundsProblem<double> problem;
  problem.assign(dictionary, std::vector<double>(30, 0.3), false);
  RoundsWorkspace<double> work;
  Matrix<double> u(40, 120);
  for (const std::size_t rounds : {1, 6}) {
    const RoundsOptions options{.price = 0.5, .shortlist = 16, .rounds = rounds};
    const GreedyCodeReport report = rounds_codes<double>(problem, x, options, work, u.view());
    double cost = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      const double error = rounds_error(dictionary, 0.3, x, u, i);
      EXPECT_NEAR(work.error[i], error, 1e-9 * error);
      cost += error + options.price * static_cast<double>(count_nonzeros(u.row(i), 120));
      EXPECT_EQ(u(i, 2), 0.0);
    }
    EXPECT_NEAR(report.cost, cost, 1e-9 * cost);
    EXPECT_NEAR(report.squared_samples - report.gain, cost, 1e-9 * cost);
    EXPECT_GT(report.nonzeros, 40u);
  }
}

// Every pick pays: without any one of them the cost is higher, whatever least squares makes of the others before it.
TEST(RoundsCodes, EveryAtomThatIsChosenLowersTheCost) {
  const Matrix<double> dictionary = random_unit_rows(200, 40, 3);
  const Matrix<double> x = random_matrix<double>(10, 40, 4);
  const RoundsProblem<double> problem = rounds_problem<double>(dictionary);
  RoundsWorkspace<double> work;
  const double price = 0.6;
  find_rounds_codes<double>(problem, x, {.price = price, .shortlist = 8}, work);
  for (std::size_t i = 0; i < 10; ++i) {
    OrthogonalCode<double> again;
    again.start(x.row(i), {}, 40);
    double error = squared_norm(x.row(i), 40);
    ASSERT_GT(work.begin[i + 1], work.begin[i]);
    for (std::size_t e = work.begin[i]; e < work.begin[i + 1]; ++e) {
      EXPECT_GT(again.add(work.atoms[e], problem.atoms.row(work.atoms[e]), {}, 0.0), 0);
      const double next = squared_norm(again.rest(), 40);
      EXPECT_LT(next + price, error * (1 + 1e-12));
      error = next;
    }
    EXPECT_NEAR(error, work.error[i], 1e-9 * error);
  }
}

// Least squares: what is left is orthogonal to all atoms that are used.
TEST(RoundsCodes, RestIsOrthogonalToWhatIsUsed) {
  const Matrix<double> dictionary = random_unit_rows(300, 50, 5);
  const Matrix<float> x = random_matrix<float>(20, 50, 6);
  const RoundsProblem<float> problem = rounds_problem<float>(dictionary);
  RoundsWorkspace<float> work;
  find_rounds_codes<float>(problem, x, {.price = 0.3}, work);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t e = work.begin[i]; e < work.begin[i + 1]; ++e)
      EXPECT_NEAR(dot(work.rest.row(i), dictionary.row(work.atoms[e]), 50), 0, 1e-4);
}

TEST(RoundsCodes, SameBitsAloneAndInABatch) {
  const RoundsProblem<float> problem = rounds_problem<float>(random_unit_rows(170, 33, 7));
  const Matrix<float> x = random_matrix<float>(70, 33, 8);
  RoundsWorkspace<float> work;
  Matrix<float> together(70, 170), alone(70, 170);
  for (const std::size_t rounds : {1, 6}) {
    const RoundsOptions options{.price = 0.4, .rounds = rounds};
    rounds_codes<float>(problem, x, options, work, together.view());
    for (std::size_t i = 70; i-- > 0;)
      rounds_codes<float>(problem, x.view().row_range(i, 1), options, work, alone.view().row_range(i, 1));
    EXPECT_EQ(together, alone);
  }
}

TEST(RoundsCodes, PackingHasTheBitsOfOneThread) {
  const Matrix<double> dictionary = random_unit_rows(170, 33, 9);
  const Matrix<float> x = random_matrix<float>(30, 33, 10);
  ThreadPool three(3);
  RoundsProblem<float> one = rounds_problem<float>(dictionary), many;
  many.assign(dictionary, {}, false, three);
  RoundsWorkspace<float> work;
  Matrix<float> a(30, 170), b(30, 170);
  rounds_codes<float>(one, x, {.price = 0.4}, work, a.view());
  rounds_codes<float>(many, x, {.price = 0.4}, work, b.view());
  EXPECT_EQ(a, b);
}

// OMP with one price for all samples by plain loops: pick after pick while it gains more than the price.
double omp_error_at(const Matrix<double>& dictionary, const Matrix<double>& x, double price, double& nonzeros) {
  double error = 0;
  nonzeros = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    OrthogonalCode<double> code;
    code.start(x.row(i), {}, x.cols());
    for (double gain = 1; gain > 0;) {
      std::size_t best = 0;
      double largest = 0;
      for (std::size_t k = 0; k < dictionary.rows(); ++k) {
        const double pull = std::abs(dot(code.rest(), dictionary.row(k), x.cols()));
        if (pull > largest) {
          largest = pull;
          best = k;
        }
      }
      gain = code.add(static_cast<std::uint32_t>(best), dictionary.row(best), {}, price);
    }
    error += squared_norm(code.rest(), x.cols());
    nonzeros += static_cast<double>(code.size()) / static_cast<double>(x.rows());
  }
  return error;
}

TEST(RoundsCodes, WithinSixPercentOfPursuitWithOnePrice) {
  const Planted planted = make_planted(200, 64, 512, 8, 0.1, 11);
  const RoundsProblem<double> problem = rounds_problem<double>(planted.dictionary);
  const double price = 0.05 * squared_norm(planted.samples) / 200 / 8;
  double nonzeros = 0;
  const double floor = omp_error_at(planted.dictionary, planted.samples, price, nonzeros);
  const double cost = floor + price * 200 * nonzeros;
  RoundsWorkspace<double> work;
  const GreedyCodeReport report = find_rounds_codes<double>(problem, planted.samples, {.price = price}, work);
  EXPECT_LT(report.cost, 1.06 * cost);
  EXPECT_GT(nonzeros, 4);
  // One round on a short list is not enough.
  EXPECT_GT(
      find_rounds_codes<double>(problem, planted.samples, {.price = price, .shortlist = 8, .rounds = 1}, work).cost,
      1.06 * cost);
}

TEST(RoundsCodes, PriceGivesTheWantedCount) {
  const Planted planted = make_planted(600, 64, 512, 8, 0.1, 17);
  const RoundsProblem<float> problem = rounds_problem<float>(planted.dictionary);
  const Matrix<float> x = convert<float>(planted.samples);
  ThreadPool three(3);
  for (const double wanted : {3.0, 12.0}) {
    const FoundPrice found = price_for_nonzeros<float>(problem, x, wanted, {}, three, 300);
    EXPECT_NEAR(found.nonzeros, wanted, 0.01 * wanted);
    EXPECT_EQ(found.price, price_for_nonzeros<float>(problem, x, wanted, {}, calling_thread(), 300).price);
    std::size_t nonzeros = 0;
    RoundsWorkspace<float> work;
    for (const std::size_t first : {1, 201, 401})
      nonzeros +=
          find_rounds_codes<float>(problem, x.view().row_range(first, 199), {.price = found.price}, work).nonzeros;
    EXPECT_NEAR(static_cast<double>(nonzeros) / 597, wanted, 0.1 * wanted);
  }
}

// Without a price, the wanted number of atoms, as good as those of orthogonal matching pursuit.
TEST(RoundsCodes, WithoutPriceArePursuit) {
  const Planted planted = make_planted(60, 40, 200, 5, 0.05, 12);
  const RoundsProblem<double> problem = rounds_problem<double>(planted.dictionary);
  GreedyProblem<double> gram;
  gram.assign(planted.dictionary, {}, false);
  RoundsWorkspace<double> work;
  PursuitWorkspace<double> pursuit;
  Matrix<double> u(60, 200), expected(60, 200);
  rounds_codes<double>(problem, planted.samples, {.price = 0, .rounds = 100, .max_nonzeros = 6}, work, u.view());
  pursuit_codes<double>(gram, planted.samples, {6}, pursuit, expected.view());
  double error = 0, floor = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(count_nonzeros(u.row(i), 200), 6u);
    error += rounds_error(planted.dictionary, 0, planted.samples, u, i);
    floor += rounds_error(planted.dictionary, 0, planted.samples, expected, i);
  }
  EXPECT_LT(error, 1.02 * floor);
  EXPECT_GT(error, 0.9 * floor);
}

TEST(RoundsCodes, PositiveCodesArePositiveAndStationary) {
  const Matrix<double> dictionary = random_unit_rows(150, 30, 13);
  const Matrix<double> x = random_matrix<double>(30, 30, 14);
  const RoundsProblem<double> problem = rounds_problem<double>(dictionary, true);
  RoundsWorkspace<double> work;
  const GreedyCodeReport report = find_rounds_codes<double>(problem, x, {.price = 0.4}, work);
  EXPECT_GT(report.nonzeros, 60u);
  EXPECT_LT(report.cost, report.squared_samples);
  for (std::size_t i = 0; i < 30; ++i)
    for (std::size_t e = work.begin[i]; e < work.begin[i + 1]; ++e) {
      EXPECT_GT(work.values[e], 0);
      EXPECT_NEAR(dot(work.rest.row(i), dictionary.row(work.atoms[e]), 30), 0, 1e-9);
    }
}

TEST(RoundsCodes, NothingForSamplesOfZeroAndForNoAtoms) {
  const RoundsProblem<float> problem = rounds_problem<float>(Matrix<double>(40, 10));
  RoundsWorkspace<float> work;
  Matrix<float> u(3, 40);
  EXPECT_EQ(rounds_codes<float>(problem, random_matrix<float>(3, 10, 15), {.price = 0}, work, u.view()).nonzeros, 0u);
  const RoundsProblem<float> other = rounds_problem<float>(random_unit_rows(40, 10, 16));
  EXPECT_EQ(rounds_codes<float>(other, Matrix<float>(3, 10), {.price = 0}, work, u.view()).nonzeros, 0u);
  EXPECT_EQ(rounds_codes<float>(other, Matrix<float>(0, 10), {.price = 1}, work, u.view().row_range(0, 0)).cost, 0);
}

}  // namespace
}  // namespace dualdict
