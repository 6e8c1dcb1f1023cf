// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/pursuit_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "problems/random_matrix.h"

namespace dualdict {
namespace {

// By the book, from residuals: the least squares of each step by Gram-Schmidt.
std::vector<std::size_t> naive_choices(const Matrix<double>& atoms, const double* x, std::size_t n,
                                       std::vector<double>& rest) {
  const std::size_t d = atoms.cols();
  rest.assign(x, x + d);
  std::vector<std::vector<double>> basis;
  std::vector<std::size_t> chosen;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t k = 0; k < atoms.rows(); ++k) {
      double pull = 0;
      for (std::size_t f = 0; f < d; ++f) pull += atoms(k, f) * rest[f];
      if (std::abs(pull) > most) {
        most = std::abs(pull);
        best = k;
      }
    }
    chosen.push_back(best);
    std::vector<double> v(atoms.row(best), atoms.row(best) + d);
    for (int time = 0; time < 2; ++time)
      for (const auto& b : basis) {
        double along = 0;
        for (std::size_t f = 0; f < d; ++f) along += b[f] * v[f];
        for (std::size_t f = 0; f < d; ++f) v[f] -= along * b[f];
      }
    double length = 0;
    for (const double value : v) length += value * value;
    for (double& value : v) value /= std::sqrt(length);
    double along = 0;
    for (std::size_t f = 0; f < d; ++f) along += v[f] * rest[f];
    for (std::size_t f = 0; f < d; ++f) rest[f] -= along * v[f];
    basis.push_back(std::move(v));
  }
  return chosen;
}

TEST(PursuitCodes, ChooseAndSolveAsByTheBook) {
  constexpr std::size_t kPursuitAtoms = 50, kPursuitFeatures = 20, kSamples = 40;
  const Matrix<double> atoms = random_unit_rows(kPursuitAtoms, kPursuitFeatures, 1);
  const Matrix<double> x = random_matrix<double>(kSamples, kPursuitFeatures, 2);
  GreedyProblem<double> problem;
  problem.assign(atoms, {}, false);
  PursuitWorkspace<double> work;
  for (const std::size_t n : {1u, 2u, 7u, 15u}) {
    Matrix<double> u(kSamples, kPursuitAtoms);
    pursuit_codes<double>(problem, x, {n}, work, u);
    for (std::size_t i = 0; i < kSamples; ++i) {
      std::vector<double> rest;
      const std::vector<std::size_t> chosen = naive_choices(atoms, x.row(i), n, rest);
      std::set<std::size_t> support;
      for (std::size_t k = 0; k < kPursuitAtoms; ++k)
        if (u(i, k) != 0) support.insert(k);
      ASSERT_EQ(support, std::set<std::size_t>(chosen.begin(), chosen.end())) << i;
      for (std::size_t f = 0; f < kPursuitFeatures; ++f) {
        double left = x(i, f);
        for (const std::size_t k : support) left -= u(i, k) * atoms(k, f);
        ASSERT_NEAR(left, rest[f], 1e-9);
      }
    }
  }
}

// The first step of the book's at which the error is small enough.
TEST(PursuitCodes, EndAtTheFirstErrorThatIsSmallEnough) {
  constexpr std::size_t kPursuitAtoms = 50, kPursuitFeatures = 20, kSamples = 40;
  const Matrix<double> atoms = random_unit_rows(kPursuitAtoms, kPursuitFeatures, 1);
  const Matrix<double> x = random_matrix<double>(kSamples, kPursuitFeatures, 2);
  GreedyProblem<double> problem;
  problem.assign(atoms, {}, false);
  PursuitWorkspace<double> work;
  Matrix<double> u(kSamples, kPursuitAtoms);
  for (const double bound : {0.01, 1.0, 2.5, 100.0}) {
    pursuit_codes<double>(problem, x, {kPursuitFeatures, bound, &atoms}, work, u);
    for (std::size_t i = 0; i < kSamples; ++i) {
      std::vector<double> rest;
      const auto error_after = [&](std::size_t n) {
        naive_choices(atoms, x.row(i), n, rest);
        double squared = 0;
        for (const double value : rest) squared += value * value;
        return std::sqrt(squared);
      };
      std::size_t wanted = 0;
      while (wanted < kPursuitFeatures && error_after(wanted) > bound) ++wanted;
      EXPECT_EQ(kPursuitAtoms - static_cast<std::size_t>(std::count(u.row(i), u.row(i) + kPursuitAtoms, 0.0)), wanted)
          << bound;
    }
  }
}

TEST(PursuitCodes, KeepTheBoundInFloat) {
  constexpr std::size_t kPursuitAtoms = 60, kPursuitFeatures = 16, kSamples = 256;
  const Matrix<double> atoms = random_unit_rows(kPursuitAtoms, kPursuitFeatures, 3);
  const Matrix<float> dictionary = convert<float>(atoms);
  const Matrix<float> x = convert<float>(random_matrix<double>(kSamples, kPursuitFeatures, 4));
  GreedyProblem<float> problem;
  problem.assign(atoms, {}, false);
  PursuitWorkspace<float> work;
  Matrix<float> u(kSamples, kPursuitAtoms);
  for (const double bound : {1e-3, 0.05, 1.0}) {
    pursuit_codes<float>(problem, x, {kPursuitFeatures, bound, &dictionary}, work, u);
    for (std::size_t i = 0; i < kSamples; ++i) {
      std::size_t nonzeros = 0;
      double squared = 0;
      for (std::size_t f = 0; f < kPursuitFeatures; ++f) {
        double left = static_cast<double>(x(i, f));
        for (std::size_t k = 0; k < kPursuitAtoms; ++k)
          left -= static_cast<double>(u(i, k)) * static_cast<double>(dictionary(k, f));
        squared += left * left;
      }
      for (std::size_t k = 0; k < kPursuitAtoms; ++k) nonzeros += u(i, k) != 0 ? 1 : 0;
      EXPECT_TRUE(std::sqrt(squared) <= bound * (1 + 1e-9) || nonzeros == kPursuitFeatures)
          << std::sqrt(squared) << " " << nonzeros;
    }
  }
}

TEST(PursuitCodes, EndWhereNothingIsLeftOrAtomsRepeat) {
  Matrix<float> atoms(6, 4);  // two equal pairs, a zero, and a long one
  atoms(0, 0) = atoms(1, 0) = 1;
  atoms(2, 1) = atoms(3, 1) = 0.5F;
  atoms(5, 2) = 2;
  GreedyProblem<float> problem;
  problem.assign(convert<double>(atoms), {}, false);
  PursuitWorkspace<float> work;
  Matrix<float> x(3, 4), u(3, 6);
  x(1, 0) = 3;
  x(2, 0) = 3;
  x(2, 1) = -1;
  x(2, 2) = 4;
  x(2, 3) = 9;
  pursuit_codes<float>(problem, x, {10}, work, u);
  const auto count = [&](std::size_t i) { return 6 - std::count(u.row(i), u.row(i) + 6, 0.0F); };
  EXPECT_EQ(count(0), 0);
  EXPECT_EQ(count(1), 1);
  EXPECT_EQ(count(2), 3);
  EXPECT_EQ(u(1, 0), 3.0F);
  EXPECT_EQ(u(2, 2), -2.0F);
  EXPECT_EQ(u(2, 5), 2.0F);
}

}  // namespace
}  // namespace dualdict
