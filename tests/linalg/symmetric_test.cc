// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dualdict/error.h"
#include "linalg/product.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

// G'G / rows, of rank min(rows, n).
Matrix<double> random_covariance(std::size_t rows, std::size_t n, std::uint64_t seed) {
  const Matrix<double> g = random_matrix<double>(rows, n, seed);
  return transposed_multiply<double>(g.view(), g.view());
}

TEST(SymmetricEigen, RebuildsTheMatrixFromOrthonormalVectors) {
  for (const std::size_t n : {1u, 2u, 5u, 40u}) {
    const Matrix<double> a = random_covariance(n / 2 + 1, n, n);
    const SymmetricEigen eigen = symmetric_eigen(a);
    ASSERT_EQ(eigen.values.size(), n);
    for (std::size_t i = 1; i < n; ++i) EXPECT_LE(eigen.values[i - 1], eigen.values[i]);
    const double scale = eigen.values.back();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += eigen.vectors(k, i) * eigen.values[k] * eigen.vectors(k, j);
        EXPECT_NEAR(sum, a(i, j), 1e-12 * scale);
        EXPECT_NEAR(dot(eigen.vectors.row(i), eigen.vectors.row(j), n), i == j ? 1.0 : 0.0, 1e-12);
      }
    }
  }
}

TEST(LargestEigenvalue, IsNeverLessThanTheTrueOne) {
  for (const std::size_t n : {1u, 2u, 10u, 100u, 400u, 401u, 500u}) {
    for (const std::size_t rows : {std::size_t{1}, n / 2 + 1, 2 * n}) {
      if (n > 100 && rows != n / 2 + 1) continue;  // the reference takes its time
      const Matrix<double> a = random_covariance(rows, n, n + rows);
      const double exact = symmetric_eigen(a).values.back();
      const double bound = largest_eigenvalue(a);
      EXPECT_GE(bound, exact * (1 - 1e-14)) << "n = " << n << ", rank " << rows;
      EXPECT_LE(bound, exact * 1.25) << "n = " << n << ", rank " << rows;
    }
  }
}

// One eigenvalue stands a little above a crowd of equal ones: power iteration sees the crowd first.
TEST(LargestEigenvalue, IsNotFooledByACrowdBelowTheTop) {
  for (const double crowd : {0.5, 0.8, 0.9, 0.95, 0.99}) {
    Matrix<double> a(500, 500);
    for (std::size_t i = 0; i < 500; ++i) a(i, i) = crowd;
    // A rotation of the top into four coordinates keeps the row sums from giving the answer away.
    for (const std::size_t i : {100u, 200u, 300u, 400u})
      for (const std::size_t j : {100u, 200u, 300u, 400u})
        a(i, j) += (1 - crowd) / 4 * (((i + j) / 100) % 2 == 0 ? 1.0 : -1.0);
    EXPECT_GE(largest_eigenvalue(a), 1.0 - 1e-12) << "crowd at " << crowd;
    EXPECT_LE(largest_eigenvalue(a), 1.25) << "crowd at " << crowd;
  }
}

TEST(LargestEigenvalue, OfNothingIsZero) {
  EXPECT_EQ(largest_eigenvalue(Matrix<double>(0, 0)), 0.0);
  EXPECT_EQ(largest_eigenvalue(Matrix<double>(3, 3)), 0.0);
  EXPECT_EQ(largest_eigenvalue(Matrix<double>(500, 500)), 0.0);
}

}  // namespace
}  // namespace dualdict
