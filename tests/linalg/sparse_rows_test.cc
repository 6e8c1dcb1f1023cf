// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "linalg/product.h"
#include "problems/random_matrix.h"

namespace dualdict {
namespace {

// Random elements, all but about `share` of them zero.
template <class T>
Matrix<T> random_sparse(std::size_t rows, std::size_t cols, double share, std::uint64_t seed) {
  Matrix<T> result = random_matrix<T>(rows, cols, seed);
  Random random(seed, 1);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (random.uniform() > share) result.data()[i] = T{0};
  return result;
}

template <class T>
class SparseRowsTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseRowsTest, Scalars);

TYPED_TEST(SparseRowsTest, HoldsTheNonzerosInTheirOrder) {
  SparseRows<TypeParam> sparse;
  for (const double share : {0.0, 0.02, 0.5, 1.0}) {
    const Matrix<TypeParam> dense = random_sparse<TypeParam>(23, 41, share, 3);
    sparse.assign(dense.view());
    Matrix<TypeParam> back(dense.rows(), dense.cols());
    ASSERT_EQ(sparse.n_rows(), dense.rows());
    for (std::size_t i = 0; i < sparse.n_rows(); ++i) {
      for (std::size_t e = sparse.begin[i]; e < sparse.begin[i + 1]; ++e) {
        EXPECT_TRUE(e == sparse.begin[i] || sparse.column[e] > sparse.column[e - 1]);
        EXPECT_NE(sparse.value[e], TypeParam{0});
        back(i, sparse.column[e]) = sparse.value[e];
      }
    }
    EXPECT_EQ(back, dense) << share;
  }
}

// A code's bits must not depend on which way its block took.
TYPED_TEST(SparseRowsTest, TheSparseProductHasTheBitsOfTheDenseOne) {
  using T = TypeParam;
  constexpr std::size_t kRows = 9;
  const std::vector<Kernels<T>> variants = all_kernels<T>();
  SparseRows<T> work;
  for (const std::size_t depth : {37U, 300U, 600U}) {  // one chunk of the packed operand, two, three
    for (const std::size_t width : {1U, 7U, 16U, 45U, 130U}) {
      const Matrix<T> right = random_matrix<T>(depth, width, 6);
      for (const double share : {0.0, 0.05, 0.35, 0.55, 1.0}) {
        const Matrix<T> left = random_sparse<T>(kRows, depth, share, 5);
        for (const Kernels<T>& kernel : variants) {
          PackedRight<T> packed(kernel);
          packed.pack(right.view());
          for (const Into into : {Into::kAdd, Into::kSubtract}) {
            Matrix<T> expected = random_matrix<T>(kRows, width, 7);
            Matrix<T> result = expected;
            multiply<T>(plain(left.view()), packed, expected.view(), into);
            multiply_sparse<T>(left.view(), packed, into, work, result.view());
            EXPECT_EQ(result, expected) << kernel.name << ", " << depth << " x " << width << ", " << share;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dualdict
