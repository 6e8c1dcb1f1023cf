// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/greedy_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "linalg/product.h"
#include "problems/planted.h"
#include "problems/random_matrix.h"
#include "solvers/code_step.h"
#include "solvers/hard_codes.h"

namespace dualdict {
namespace {

// |x - b - D u|^2 + price |u|_0 in double, from the residual.
template <class T>
double naive_cost(const Matrix<double>& dictionary, std::span<const double> bias, const T* x, const T* u,
                  double price) {
  double cost = 0;
  for (std::size_t f = 0; f < dictionary.cols(); ++f) {
    double rest = static_cast<double>(x[f]) - (bias.empty() ? 0 : bias[f]);
    for (std::size_t k = 0; k < dictionary.rows(); ++k) rest -= static_cast<double>(u[k]) * dictionary(k, f);
    cost += rest * rest;
  }
  for (std::size_t k = 0; k < dictionary.rows(); ++k) cost += u[k] != T{0} ? price : 0;
  return cost;
}

// Atoms of many lengths, one of them zero.
Matrix<double> uneven_dictionary(std::size_t n_atoms, std::size_t d, std::uint64_t seed) {
  Matrix<double> dictionary = random_unit_rows(n_atoms, d, seed);
  for (std::size_t k = 0; k < n_atoms; ++k)
    for (std::size_t f = 0; f < d; ++f) dictionary(k, f) *= k == 2 ? 0.0 : 0.2 + 0.05 * static_cast<double>(k % 20);
  return dictionary;
}

TEST(GreedyCodes, CostIsThatOfTheResidualAndFallsByTheGains) {
  const Matrix<double> dictionary = uneven_dictionary(50, 20, 1);
  const Matrix<double> x = random_matrix<double>(40, 20, 2);
  const std::vector<double> bias(20, 0.3);
  for (const bool positive : {false, true}) {
    GreedyProblem<double> problem;
    problem.assign(dictionary, bias, positive);
    GreedyWorkspace<double> work;
    Matrix<double> u(40, 50);
    const GreedyOptions options{.price = 0.5};
    const GreedyCodeReport report = greedy_codes<double>(problem, x, options, work, u);
    double cost = 0;
    for (std::size_t i = 0; i < 40; ++i) cost += naive_cost(dictionary, bias, x.row(i), u.row(i), options.price);
    EXPECT_NEAR(report.cost, cost, 1e-9 * cost);
    EXPECT_NEAR(report.squared_samples - report.gain, cost, 1e-9 * cost);
    EXPECT_EQ(report.unfinished, 0u);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(u(i, 2), 0.0);
    for (std::size_t e = 0; positive && e < u.size(); ++e) EXPECT_GE(u.data()[e], 0.0);
  }
}

// No single coefficient, moved anywhere, takes more than the tolerance off the cost.
TEST(GreedyCodes, EndWhereNoSingleMovePays) {
  const Matrix<double> dictionary = random_unit_rows(30, 12, 3);
  const Matrix<double> x = random_matrix<double>(20, 12, 4);
  for (const bool positive : {false, true}) {
    GreedyProblem<double> problem;
    problem.assign(dictionary, {}, positive);
    GreedyWorkspace<double> work;
    Matrix<double> u(20, 30);
    const GreedyOptions options{.price = 0.4};
    greedy_codes<double>(problem, x, options, work, u);
    for (std::size_t i = 0; i < 20; ++i) {
      const double cost = naive_cost(dictionary, {}, x.row(i), u.row(i), options.price);
      for (std::size_t k = 0; k < 30; ++k) {
        const double old = u(i, k);
        double pull = 0;  // of the residual on the atom
        for (std::size_t f = 0; f < 12; ++f) {
          double rest = x(i, f);
          for (std::size_t j = 0; j < 30; ++j) rest -= u(i, j) * dictionary(j, f);
          pull += rest * dictionary(k, f);
        }
        for (const double target : {0.0, positive ? std::max(0.0, old + pull) : old + pull}) {
          u(i, k) = target;
          EXPECT_GE(naive_cost(dictionary, {}, x.row(i), u.row(i), options.price),
                    cost - 1.0001 * options.tolerance * options.price);
        }
        u(i, k) = old;
      }
    }
  }
}

TEST(GreedyCodes, OfOrthonormalAtomsAreHardThresholds) {
  const std::size_t d = 16;
  Matrix<double> identity(d, d);
  for (std::size_t k = 0; k < d; ++k) identity(k, k) = 1;
  const Matrix<double> x = random_matrix<double>(30, d, 5);
  GreedyProblem<double> problem;
  problem.assign(identity, {}, false);
  GreedyWorkspace<double> work;
  Matrix<double> u(30, d), hard(30, d);
  greedy_codes<double>(problem, x, {.price = 0.64, .tolerance = 0}, work, u);
  HardProblem<double> threshold;
  threshold.assign(identity, {}, 0.8, false);
  hard_codes<double>(threshold, x, hard.view());
  EXPECT_EQ(u, hard);
}

TEST(GreedyCodes, NeverExceedTheCostOfTheirStart) {
  const Matrix<double> dictionary = uneven_dictionary(40, 15, 6);
  const Matrix<float> x = random_matrix<float>(30, 15, 7);
  GreedyProblem<float> problem;
  problem.assign(dictionary, {}, false);
  GreedyWorkspace<float> work;
  Matrix<float> u = random_matrix<float>(30, 40, 8);
  for (std::size_t e = 0; e < u.size(); ++e)
    if (e % 3 != 0 || e % 40 == 2) u.data()[e] = 0;
  const Matrix<float> start = u;
  const GreedyOptions options{.price = 0.3, .from_zero = false};
  greedy_codes<float>(problem, x, options, work, u.view());
  for (std::size_t i = 0; i < 30; ++i) {
    const double before = naive_cost(dictionary, {}, x.row(i), start.row(i), options.price);
    EXPECT_LE(naive_cost(dictionary, {}, x.row(i), u.row(i), options.price), before * (1 + 1e-5));
  }
}

TEST(GreedyCodes, FindThePlantedSupport) {
  const Planted planted = make_planted(200, 60, 40, 3, 0, 9);
  GreedyProblem<double> problem;
  problem.assign(planted.dictionary, {}, false);
  GreedyWorkspace<double> work;
  Matrix<double> u(200, 40);
  greedy_codes<double>(problem, planted.samples, {.price = 1e-3, .tolerance = 1e-6}, work, u);
  std::size_t wrong = 0;
  for (std::size_t e = 0; e < u.size(); ++e)
    wrong += (u.data()[e] != 0) != (std::abs(planted.codes.data()[e]) > 0.05) &&
                     std::abs(std::abs(planted.codes.data()[e]) - 0.05) > 0.02
                 ? 1
                 : 0;
  EXPECT_LT(wrong, 6u);  // of 600 nonzeros
}

TEST(GreedyCodes, KeepToTheLargestCount) {
  GreedyProblem<double> problem;
  problem.assign(random_unit_rows(64, 20, 10), {}, false);
  const Matrix<double> x = random_matrix<double>(25, 20, 11);
  GreedyWorkspace<double> work;
  Matrix<double> u(25, 64);
  const GreedyCodeReport report = greedy_codes<double>(problem, x, {.price = 0, .max_nonzeros = 4}, work, u);
  EXPECT_EQ(report.nonzeros, 100u);
  for (std::size_t i = 0; i < 25; ++i) EXPECT_EQ(count_nonzeros(u.row(i), 64), 4u);
  EXPECT_EQ(report.unfinished, 0u);
}

TEST(GreedyCodes, SameBitsAloneAndInABatch) {
  GreedyProblem<float> problem;
  problem.assign(random_unit_rows(70, 33, 12), std::vector<double>(33, 0.1), false);
  const Matrix<float> x = random_matrix<float>(50, 33, 13);
  GreedyWorkspace<float> work;
  Matrix<float> together(50, 70), alone(50, 70);
  greedy_codes<float>(problem, x, {.price = 0.4}, work, together.view());
  for (std::size_t i = 50; i-- > 0;)
    greedy_codes<float>(problem, x.view().row_range(i, 1), {.price = 0.4, .measure = false}, work,
                        alone.view().row_range(i, 1));
  EXPECT_EQ(together, alone);
}

TEST(GreedyCodes, PriceGivesTheWantedCountOnUnseenSamples) {
  const Planted planted = make_planted(3000, 30, 60, 6, 0.1, 14);
  GreedyProblem<float> problem;
  problem.assign(planted.dictionary, {}, false);
  const Matrix<float> x = convert<float>(planted.samples);
  ThreadPool one(1), three(3);
  for (const double wanted : {1.0, 5.0, 20.0}) {
    const FoundPrice found = price_for_nonzeros<float>(problem, x.view().row_range(0, 1000), wanted, {}, one);
    EXPECT_NEAR(found.nonzeros, wanted, 0.01 * wanted);
    EXPECT_EQ(found.price, price_for_nonzeros<float>(problem, x.view().row_range(0, 1000), wanted, {}, three).price);
    GreedyWorkspace<float> work;
    Matrix<float> u(200, 60);
    std::size_t nonzeros = 0;
    for (std::size_t first = 1000; first < 3000; first += 200)
      nonzeros +=
          greedy_codes<float>(problem, x.view().row_range(first, 200), {.price = found.price}, work, u.view()).nonzeros;
    EXPECT_NEAR(static_cast<double>(nonzeros) / 2000, wanted, 0.1 * wanted);
  }
}

// More than there can be, samples of nothing, and no samples.
TEST(GreedyCodes, PriceIsBoundedWhereTheCountCannotBeHad) {
  GreedyProblem<double> problem;
  problem.assign(random_unit_rows(8, 3, 15), {}, true);
  const Matrix<double> x = random_matrix<double>(20, 3, 16);
  const FoundPrice most = price_for_nonzeros<double>(problem, x, 8, {}, calling_thread());
  EXPECT_GE(most.price, 0);
  EXPECT_GT(most.nonzeros, 0.5);
  EXPECT_EQ(price_for_nonzeros<double>(problem, Matrix<double>(5, 3), 2, {}, calling_thread()).nonzeros, 0);
  EXPECT_EQ(price_for_nonzeros<double>(problem, Matrix<double>(0, 3), 2, {}, calling_thread()).nonzeros, 0);
}

TEST(HardCodes, ThresholdGivesTheCount) {
  for (const bool positive : {false, true}) {
    const Matrix<double> responses = random_matrix<double>(100, 30, 17);
    for (const double wanted : {0.0, 0.5, 4.0, 11.0}) {
      Matrix<double> used_up = responses;
      const double threshold = threshold_for_nonzeros(used_up, wanted, positive);
      Matrix<double> identity(30, 30), u(100, 30);
      for (std::size_t k = 0; k < 30; ++k) identity(k, k) = 1;
      HardProblem<double> problem;
      problem.assign(identity, {}, threshold, positive);
      hard_codes<double>(problem, responses, u.view());
      EXPECT_EQ(count_nonzeros(u.data(), u.size()), static_cast<std::size_t>(wanted * 100));
    }
    Matrix<double> all = responses;
    EXPECT_EQ(threshold_for_nonzeros(all, 30, positive), 0.0);
  }
}

}  // namespace
}  // namespace dualdict
