// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_product.h"

#include <gtest/gtest.h>

#include <vector>

#include "linalg/sparse_rows.h"
#include "problems/random_sparse.h"

namespace dualdict {
namespace {

template <class T>
class SparseProduct : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseProduct, Scalars);

// A code's bits must not depend on which way its block took.
TYPED_TEST(SparseProduct, HasTheBitsOfTheDenseOne) {
  using T = TypeParam;
  constexpr std::size_t kRows = 9;
  const std::vector<Kernels<T>> variants = all_kernels<T>();
  UsedColumns work;
  for (const std::size_t depth : {37U, 300U, 600U}) {  // one chunk of the packed operand, two, three
    for (const std::size_t width : {1U, 7U, 16U, 45U, 130U, 200U, 500U}) {
      const Matrix<T> right = random_matrix<T>(depth, width, 6);
      for (const double share : {0.0, 0.05, 0.2, 0.4, 0.6, 1.0}) {
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

TYPED_TEST(SparseProduct, ShrinkingOnTheWayHasTheBitsOfShrinkingAfterwards) {
  using T = TypeParam;
  constexpr std::size_t kRows = 9, kWidth = 200;
  std::vector<T> gain(kWidth), threshold(kWidth), growth(kWidth), levels(kRows);
  for (std::size_t j = 0; j < kWidth; ++j) {
    gain[j] = T(1) + T(0.01) * static_cast<T>(j);
    threshold[j] = T(0.2) + T(0.1) * static_cast<T>(j % 7);
    growth[j] = T(0.2) * static_cast<T>(j % 5);
  }
  for (std::size_t i = 0; i < kRows; ++i) levels[i] = T(0.3) * static_cast<T>(i);
  UsedColumns work;
  for (const std::size_t depth : {37U, 300U, 600U}) {
    const Matrix<T> right = random_matrix<T>(depth, kWidth, 6);
    for (const double share : {0.0, 0.05, 0.3}) {  // a row without nonzeros is shrunk too
      const Matrix<T> left = random_sparse<T>(kRows, depth, share, 5);
      const bool positive = depth == 300;
      const Shrinkage<T> shrinkage{gain.data(), threshold.data(), growth.data(), levels.data(), positive};
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        PackedRight<T> packed(kernel);
        packed.pack(right.view());
        Matrix<T> expected = random_matrix<T>(kRows, kWidth, 7);
        Matrix<T> result = expected;
        multiply<T>(plain(left.view()), packed, expected.view(), Into::kAdd);
        for (std::size_t i = 0; i < kRows; ++i) kernel.shrink(shrinkage.from(i, 0), expected.row(i), kWidth);
        ASSERT_TRUE(multiply_if_sparse<T>(left.view(), packed, Into::kAdd, work, result.view(), shrinkage));
        EXPECT_EQ(result, expected) << kernel.name << ", depth " << depth << ", " << share;
      }
    }
  }
}

// The sums of codes over samples: the left operand is a transposed block of codes, and its marks come from its rows.
TYPED_TEST(SparseProduct, OfAMarkedTransposeHasTheBitsOfTheDenseOne) {
  using T = TypeParam;
  constexpr std::size_t kAtoms = 21;
  SparseRows<T> rows;
  std::vector<std::uint64_t> marks;
  for (const std::size_t n : {1U, 63U, 64U, 200U, 256U, 300U}) {
    for (const std::size_t width : {1U, 45U, 200U, 500U}) {
      const Matrix<T> right = random_matrix<T>(n, width, 6);
      for (const double share : {0.0, 0.05, 0.3, 1.0}) {
        const Matrix<T> codes = random_sparse<T>(n, kAtoms, share, 5);
        rows.assign(codes.view());
        mark_columns(rows, kAtoms, marks);
        for (const Kernels<T>& kernel : all_kernels<T>()) {
          PackedRight<T> packed(kernel);
          packed.pack(right.view());
          for (const std::size_t first_column : {std::size_t{0}, width / 2}) {
            Matrix<T> expected(kAtoms, width), result = random_matrix<T>(kAtoms, width, 7);
            multiply<T>(transposed(codes.view()), packed, expected.view(), Into::kSet, first_column);
            multiply_marked<T>(transposed(codes.view()), marks.data(), packed, result.view(), first_column);
            for (std::size_t i = 0; i < kAtoms; ++i)
              for (std::size_t j = first_column; j < width; ++j)
                ASSERT_EQ(result(i, j), expected(i, j)) << kernel.name << ", " << n << " x " << width << ", " << share;
          }
        }
      }
    }
  }
}

TYPED_TEST(SparseProduct, IsLeftToTheDenseOneWhereThatIsFaster) {
  using T = TypeParam;
  PackedRight<T> right;
  right.pack(random_matrix<T>(60, 20, 1).view());
  UsedColumns work;
  const Matrix<T> start = random_matrix<T>(30, 20, 2);
  Matrix<T> out = start;
  EXPECT_FALSE(multiply_if_sparse<T>(random_sparse<T>(30, 60, 1.0, 3).view(), right, Into::kAdd, work, out.view()));
  EXPECT_EQ(out, start);
  EXPECT_TRUE(multiply_if_sparse<T>(random_sparse<T>(30, 60, 0.1, 3).view(), right, Into::kAdd, work, out.view()));
  EXPECT_FALSE(out == start);
}

}  // namespace
}  // namespace dualdict
