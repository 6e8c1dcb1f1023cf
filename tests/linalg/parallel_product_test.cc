// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/parallel_product.h"

#include <gtest/gtest.h>

#include "problems/random_matrix.h"

namespace dualdict {
namespace {

// None, fewer rows than a tile, less than a task, and several tasks with a rest.
const std::size_t kRowCounts[] = {0, 1, 7, 33, 96, 250};

TEST(ParallelProduct, HasTheBitsOfOneThread) {
  constexpr std::size_t kDepth = 40, kCols = 29;
  const Matrix<double> right = random_matrix<double>(kDepth, kCols, 1);
  PackedRight<double> packed;
  packed.pack(right.view());
  for (const std::size_t rows : kRowCounts) {
    const Matrix<double> left = random_matrix<double>(rows, kDepth, rows);
    const Matrix<double> expected = multiply<double>(left.view(), right.view());
    for (const std::size_t n_threads : {1u, 2u, 3u}) {
      ThreadPool pool(n_threads);
      EXPECT_EQ(parallel_product(left.view(), right.view(), pool), expected);
      Matrix<double> sum(rows, kCols);
      parallel_multiply(left.view(), packed, sum.view(), Into::kAdd, pool);
      EXPECT_EQ(sum, expected);
      parallel_multiply(left.view(), packed, sum.view(), Into::kSubtract, pool);
      for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum.data()[i], 0.0, 1e-12);
    }
  }
}

TEST(ParallelProduct, AGramMatrixIsTheWholeProduct) {
  for (const std::size_t rows : kRowCounts) {
    const Matrix<double> a = random_matrix<double>(rows, 31, rows);
    const Matrix<double> expected = multiply_transposed<double>(a.view(), a.view());
    for (const std::size_t n_threads : {1u, 3u}) {
      ThreadPool pool(n_threads);
      EXPECT_EQ(parallel_gram(a.view(), pool), expected) << rows;
    }
  }
}

TEST(ParallelProduct, HasTheSameBitsWithALargeOperandThatIsReadInPlace) {
  const Matrix<double> large = random_matrix<double>(1100, 1003, 1);  // more than 2^20 elements
  const Matrix<double> few = random_matrix<double>(7, 1100, 2);
  const Matrix<double> few_wide = random_matrix<double>(7, 1003, 3);
  for (const std::size_t n_threads : {1u, 3u}) {
    ThreadPool pool(n_threads);
    EXPECT_EQ(parallel_product(few.view(), large.view(), pool), multiply<double>(few.view(), large.view()));
    EXPECT_EQ(parallel_multiply_transposed(few_wide.view(), large.view(), pool),
              multiply_transposed<double>(few_wide.view(), large.view()));
  }
}

}  // namespace
}  // namespace dualdict
