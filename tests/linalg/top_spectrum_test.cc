// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/top_spectrum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/parallel_product.h"
#include "linalg/vectors.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

// Rows whose lengths fall over many orders.
Matrix<double> decaying_rows(std::size_t n, std::size_t d, double decay) {
  Matrix<double> x = random_unit_rows(n, d, 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) *= std::pow(decay, static_cast<double>(i));
  return x;
}

TEST(TopSpectrum, IsThatOfTheWholeMatrix) {
  const Matrix<double> x = decaying_rows(60, 80, 0.9);
  Matrix<double> a(80, 80);
  add_transposed_product(x.view(), x.view(), a.view(), calling_thread());
  const SymmetricEigen whole = symmetric_eigen(a);
  const auto apply = [&](const Matrix<double>& m) { return multiply<double>(m.view(), a.view()); };
  const SymmetricEigen top = top_spectrum(apply, 80, 20, 8, calling_thread());
  ASSERT_EQ(top.values.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_LE(top.values[i], whole.values[60 + i] * (1 + 1e-12));
    EXPECT_GE(top.values[i], whole.values[60 + i] * (i < 10 ? 0.5 : 1 - 1e-3));
    for (std::size_t j = 0; j < 20; ++j)
      EXPECT_NEAR(dot(top.vectors.row(i), top.vectors.row(j), 80), i == j ? 1 : 0, 1e-9);
  }
}

TEST(TopSpectrum, ALowRankGivesFewerAndZeroNone) {
  const Matrix<double> x = decaying_rows(5, 40, 0.5);
  const auto apply = [&](const Matrix<double>& m) {
    return parallel_product(parallel_multiply_transposed(m.view(), x.view(), calling_thread()).view(), x.view(),
                            calling_thread());
  };
  EXPECT_EQ(top_spectrum(apply, 40, 12, 4, calling_thread()).values.size(), 5u);
  const auto zero = [](const Matrix<double>& m) { return Matrix<double>(m.rows(), m.cols()); };
  EXPECT_EQ(top_spectrum(zero, 40, 12, 4, calling_thread()).values.size(), 0u);
}

TEST(OrthogonalRows, HaveTheSameSumsAndTheirLengthsRise) {
  const Matrix<double> x = decaying_rows(12, 50, 0.6);
  const Matrix<double> turned = orthogonal_rows(x, calling_thread());
  Matrix<double> before(50, 50), after(50, 50);
  add_transposed_product(x.view(), x.view(), before.view(), calling_thread());
  add_transposed_product(turned.view(), turned.view(), after.view(), calling_thread());
  EXPECT_LE(relative_change(after, before), 1e-13);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR(dot(turned.row(i), turned.row(j), 50), 0, 1e-14);
      EXPECT_LE(norm(turned.row(j), 50), norm(turned.row(i), 50));
    }
}

}  // namespace
}  // namespace dualdict
