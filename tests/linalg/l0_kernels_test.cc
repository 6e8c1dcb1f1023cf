// SPDX-License-Identifier: BSD-3-Clause
// Greedy moves, hard thresholds, dots and Adam: every instruction set against the scalar reference.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "linalg/kernels/l0_kernels.h"
#include "linalg/product.h"
#include "problems/random_matrix.h"
#include "reference/tolerance.h"

namespace dualdict {
namespace {

template <class T>
class L0KernelsTest : public testing::Test {};
using L0Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(L0KernelsTest, L0Scalars);

// V'V padded with zeros, and V'x.
template <class T>
struct GreedyCase {
  Matrix<T> gram;
  AlignedVector<T> c;
  AlignedVector<T> u;
  GreedyCase(std::size_t n_atoms, std::size_t d, std::uint64_t seed)
      : gram(padded(n_atoms), padded(n_atoms)), c(padded(n_atoms)), u(padded(n_atoms)) {
    const Matrix<double> atoms = random_unit_rows(n_atoms, d, seed);
    const Matrix<double> x = random_matrix<double>(1, d, seed + 1);
    for (std::size_t k = 0; k < n_atoms; ++k) {
      c[k] = static_cast<T>(dot(atoms.row(k), x.data(), d));
      for (std::size_t j = 0; j < n_atoms; ++j) gram(k, j) = static_cast<T>(dot(atoms.row(k), atoms.row(j), d));
    }
  }
  GreedyArguments<T> arguments(T price, bool positive, std::size_t most) {
    return {gram.data(), gram.cols(), gram.cols(), price, T(0.05) * price, positive, 1000, most, u.data(), c.data()};
  }
};

TYPED_TEST(L0KernelsTest, MovesGreedilyAsTheReference) {
  using T = TypeParam;
  for (const std::size_t n_atoms : {1, 15, 16, 17, 40, 131}) {
    for (const bool positive : {false, true}) {
      for (const std::size_t most : {std::size_t{3}, std::numeric_limits<std::size_t>::max()}) {
        GreedyCase<T> expected(n_atoms, 12, n_atoms);
        const GreedyReport reference = scalar_l0_kernels<T>().move_greedily(expected.arguments(T(0.1), positive, most));
        EXPECT_LE(reference.nonzeros, most);
        for (const L0Kernels<T>& kernel : all_l0_kernels<T>()) {
          GreedyCase<T> given(n_atoms, 12, n_atoms);
          const GreedyReport report = kernel.move_greedily(given.arguments(T(0.1), positive, most));
          SCOPED_TRACE(std::string(kernel.name) + ", K = " + std::to_string(n_atoms));
          EXPECT_EQ(report.moves, reference.moves);
          EXPECT_EQ(report.nonzeros, reference.nonzeros);
          EXPECT_NEAR(report.gain, reference.gain, 1e4 * Tolerance<T>::kEpsilon);
          for (std::size_t k = 0; k < given.u.size(); ++k) {
            EXPECT_NEAR(static_cast<double>(given.u[k]), static_cast<double>(expected.u[k]),
                        1e3 * Tolerance<T>::kEpsilon);
            EXPECT_NEAR(static_cast<double>(given.c[k]), static_cast<double>(expected.c[k]),
                        1e3 * Tolerance<T>::kEpsilon);
          }
        }
      }
    }
  }
}

TYPED_TEST(L0KernelsTest, KeepLargeAsTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; ++n) {
    const Matrix<T> start = random_matrix<T>(1, n, n);
    const Matrix<T> bias = random_matrix<T>(1, n, n + 1000);
    for (const bool positive : {false, true}) {
      Matrix<T> expected = start;
      scalar_l0_kernels<T>().keep_large(bias.data(), n, T(0.7), positive, expected.data());
      for (const L0Kernels<T>& kernel : all_l0_kernels<T>()) {
        Matrix<T> row = start;
        kernel.keep_large(bias.data(), n, T(0.7), positive, row.data());
        EXPECT_EQ(row, expected) << kernel.name << ", n = " << n;
      }
    }
  }
}

TYPED_TEST(L0KernelsTest, DotRowsAsTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 150; n += 7) {
    const Matrix<T> matrix = whole_matrix<T>(20, n, n);  // every order of the sums is exact
    const Matrix<T> x = whole_matrix<T>(1, n, n + 1);
    const std::vector<std::uint32_t> rows = {3, 0, 19, 7, 7, 4, 2, 1, 11, 12, 13};
    std::vector<T> expected(rows.size()), out(rows.size());
    scalar_l0_kernels<T>().dot_rows({rows.data(), rows.size(), matrix.data(), n, x.data(), n, expected.data()});
    for (const L0Kernels<T>& kernel : all_l0_kernels<T>()) {
      kernel.dot_rows({rows.data(), rows.size(), matrix.data(), n, x.data(), n, out.data()});
      EXPECT_EQ(out, expected) << kernel.name << ", n = " << n;
    }
  }
}

TYPED_TEST(L0KernelsTest, AdamStepAsTheReference) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 70; n += 3) {
    const Matrix<T> direction = random_matrix<T>(1, n, n);
    const auto stepped = [&](const L0Kernels<T>& kernel) {
      Matrix<T> state = random_matrix<T>(3, n, n + 1);
      for (std::size_t k = 0; k < n; ++k) state(1, k) = std::abs(state(1, k));
      kernel.adam_step(
          {direction.data(), n, T(0.9), T(0.999), T(0.01), T(1e-8), state.row(0), state.row(1), state.row(2)});
      return state;
    };
    const Matrix<T> expected = stepped(scalar_l0_kernels<T>());
    for (const L0Kernels<T>& kernel : all_l0_kernels<T>()) {
      const Matrix<T> state = stepped(kernel);
      for (std::size_t e = 0; e < state.size(); ++e)
        EXPECT_NEAR(static_cast<double>(state.data()[e]), static_cast<double>(expected.data()[e]),
                    20 * Tolerance<T>::kEpsilon)
            << kernel.name << ", n = " << n;
    }
  }
}

}  // namespace
}  // namespace dualdict
