// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

#include <gtest/gtest.h>

#include "problems/random_sparse.h"

namespace dualdict {
namespace {

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

}  // namespace
}  // namespace dualdict
