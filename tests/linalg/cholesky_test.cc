// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cholesky.h"

#include <gtest/gtest.h>

#include <atomic>

#include "dualdict/error.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

Matrix<double> random_positive_definite(std::size_t n) {
  const Matrix<double> g = random_matrix<double>(2 * n, n, n);
  Matrix<double> a = transposed_multiply<double>(g.view(), g.view());
  for (std::size_t i = 0; i < n; ++i) a(i, i) += 1;
  return a;
}

TEST(SolvePositiveDefinite, SolvesForEveryRow) {
  ThreadPool pool(2);
  // One block, whole blocks, and blocks with a rest.
  for (const std::size_t n : {1u, 3u, 50u, 192u, 193u, 500u}) {
    const Matrix<double> a = random_positive_definite(n);
    const Matrix<double> b = random_matrix<double>(100, n, 77);
    Matrix<double> x = b;
    solve_positive_definite(a, x.view(), pool);
    for (std::size_t i = 0; i < b.rows(); ++i)
      for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(dot(a.row(j), x.row(i), n), b(i, j), 1e-9);
  }
}

TEST(SolvePositiveDefinite, ReadsTheUpperTriangleOnlyAndKeepsItsBitsWithAnyThreads) {
  Matrix<double> a = random_positive_definite(450);
  Matrix<double> one = random_matrix<double>(200, 450, 5);
  Matrix<double> three = one;
  ThreadPool single(1), several(3);
  solve_positive_definite(a, one.view(), single);
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) a(i, j) = 1e9;
  solve_positive_definite(a, three.view(), several);
  EXPECT_EQ(one, three);
}

TEST(SolvePositiveDefinite, RefusesAnIndefiniteMatrix) {
  ThreadPool pool(1);
  for (const std::size_t n : {2u, 300u}) {
    Matrix<double> a(n, n);
    for (std::size_t i = 0; i < n; ++i) a(i, i) = 1;
    a(n - 1, n - 1) = -1;
    Matrix<double> b(1, n);
    try {
      solve_positive_definite(a, b.view(), pool);
      FAIL() << "accepted an indefinite matrix";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNumerical);
    }
  }
}

TEST(SolvePositiveDefinite, EndsBetweenItsPieces) {
  const std::atomic<bool> wish = true;
  const Interrupt interrupt(&wish);
  ThreadPool pool(2, &interrupt);
  Matrix<double> b(3, 40);
  EXPECT_THROW(solve_positive_definite(random_positive_definite(40), b.view(), pool), Interrupted);
}

}  // namespace
}  // namespace dualdict
