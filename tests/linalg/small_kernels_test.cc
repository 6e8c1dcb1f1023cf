// SPDX-License-Identifier: BSD-3-Clause
// Rows added, codes shrunk, norms: every instruction set against the scalar reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/kernels/kernels.h"
#include "problems/random_matrix.h"
#include "reference/tolerance.h"

namespace dualdict {
namespace {

template <class T>
class SmallKernels : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SmallKernels, Scalars);

TYPED_TEST(SmallKernels, AddRowsAsTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 150; n += 7) {
    const Matrix<T> matrix = random_matrix<T>(6, n, n);
    const std::vector<T> factors = {T(0.5), T(-2), T(0.25)};
    const std::vector<std::uint32_t> rows = {0, 3, 5};
    for (const T sign : {T{1}, T{-1}}) {
      const Matrix<T> start = random_matrix<T>(1, n, 9);
      Matrix<T> expected = start;
      scalar_kernels<T>().add_rows({factors.data(), rows.data(), 3, sign, matrix.data(), n, expected.data(), n});
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        Matrix<T> out = start;
        kernel.add_rows({factors.data(), rows.data(), 3, sign, matrix.data(), n, out.data(), n});
        for (std::size_t k = 0; k < n; ++k)
          ASSERT_NEAR(static_cast<double>(out(0, k)), static_cast<double>(expected(0, k)), 20 * Tolerance<T>::kEpsilon)
              << kernel.name << ", n = " << n;
      }
    }
  }
}

TYPED_TEST(SmallKernels, ListNonzerosAsTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 300; n += 13) {
    Matrix<T> row = random_matrix<T>(1, n, n);
    for (std::size_t j = 0; j < n; ++j)
      if (row(0, j) < T(0.3)) row(0, j) = j % 2 == 0 ? T(0) : T(-0.0);
    std::vector<std::uint32_t> columns(n + kWidestVector), expected_columns(n + kWidestVector);
    std::vector<T> values(n + kWidestVector), expected_values(n + kWidestVector);
    const std::size_t expected =
        scalar_kernels<T>().list_nonzeros(row.data(), n, expected_columns.data(), expected_values.data());
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      ASSERT_EQ(kernel.list_nonzeros(row.data(), n, columns.data(), values.data()), expected) << kernel.name;
      for (std::size_t e = 0; e < expected; ++e) {
        EXPECT_EQ(columns[e], expected_columns[e]) << kernel.name << ", n = " << n;
        EXPECT_EQ(values[e], expected_values[e]) << kernel.name << ", n = " << n;
      }
      std::vector<std::uint64_t> marks(n / kMarksPerWord + 1, ~std::uint64_t{0}), expected_marks(marks.size());
      for (std::size_t e = 0; e < expected; ++e)
        expected_marks[columns[e] / kMarksPerWord] |= std::uint64_t{1} << columns[e] % kMarksPerWord;
      if (n % kMarksPerWord == 0) expected_marks.back() = marks.back();  // beyond the row: not written
      kernel.mark_nonzeros(row.data(), n, marks.data());
      EXPECT_EQ(marks, expected_marks) << kernel.name << ", n = " << n;
    }
  }
}

TYPED_TEST(SmallKernels, ShrinkAsTheReferenceAndWithoutNegativeZeros) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    Matrix<T> v = random_matrix<T>(1, n, n);
    v(0, n / 2) = T(-0.0);
    const T level = T(1.5);
    std::vector<T> gain(n), threshold(n), growth(n);
    for (std::size_t j = 0; j < n; ++j) {
      gain[j] = T(1) + T(0.01) * static_cast<T>(j);
      threshold[j] = T(0.3);
      growth[j] = T(0.002) * static_cast<T>(j);
    }
    for (const bool positive : {false, true}) {
      Matrix<T> expected = v;
      scalar_kernels<T>().shrink({gain.data(), threshold.data(), growth.data(), &level, positive}, expected.data(), n);
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        Matrix<T> out = v;
        kernel.shrink({gain.data(), threshold.data(), growth.data(), &level, positive}, out.data(), n);
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_NEAR(static_cast<double>(out(0, j)), static_cast<double>(expected(0, j)), 20 * Tolerance<T>::kEpsilon)
              << kernel.name << ", n = " << n;
          EXPECT_FALSE(out(0, j) == T{0} && std::signbit(out(0, j))) << kernel.name;
          EXPECT_TRUE(!positive || out(0, j) >= T{0}) << kernel.name;
        }
      }
    }
  }
}

TYPED_TEST(SmallKernels, TheLargestMagnitudeIsFoundAndShowsWhatIsNotFinite) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    Matrix<T> x = random_matrix<T>(1, n, n);
    T expected = 0;
    for (std::size_t j = 0; j < n; ++j) expected = std::max(expected, std::abs(x(0, j)));
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      EXPECT_EQ(kernel.largest_magnitude(x.data(), n), expected) << kernel.name << ", n = " << n;
      for (const T bad : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                          std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()}) {
        Matrix<T> spoiled = x;
        spoiled(0, n / 2) = bad;
        EXPECT_FALSE(std::isfinite(kernel.largest_magnitude(spoiled.data(), n))) << kernel.name << ", n = " << n;
      }
    }
  }
}

TYPED_TEST(SmallKernels, CountNonzeros) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    Matrix<T> x = random_matrix<T>(1, n, n);
    std::size_t expected = n;
    for (std::size_t j = 0; j < n; j += 3, --expected) x(0, j) = j % 2 == 0 ? T(0) : T(-0.0);
    for (const Kernels<T>& kernel : all_kernels<T>())
      EXPECT_EQ(kernel.count_nonzeros(x.data(), n), expected) << kernel.name << ", n = " << n;
  }
}

TYPED_TEST(SmallKernels, NormsNeitherOverflowNorVanish) {
  using T = TypeParam;
  for (const double scale : {1e-30, 1.0, 1e30}) {
    for (std::size_t n = 1; n <= 40; ++n) {
      Matrix<T> x = random_matrix<T>(1, n, n);
      double expected = 0;
      for (std::size_t k = 0; k < n; ++k) {
        x(0, k) *= static_cast<T>(scale);
        expected += static_cast<double>(x(0, k)) * static_cast<double>(x(0, k));
      }
      for (const Kernels<T>& kernel : all_kernels<T>())
        EXPECT_NEAR(kernel.squared_norm(x.data(), n), expected, 1e-14 * expected) << kernel.name << ", n = " << n;
    }
  }
}

}  // namespace
}  // namespace dualdict
