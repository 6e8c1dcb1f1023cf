// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "problems/random_matrix.h"
#include "reference/naive_products.h"
#include "reference/tolerance.h"

namespace dualdict {
namespace {

constexpr std::size_t kMaxRows = 27;   // more than three tiles
constexpr std::size_t kMaxCols = 100;  // more than two panels of the widest registers
const std::vector<std::size_t> kDepths{0, 1, 2, 3, 17, 255, 256, 257, 600};
const std::vector<std::size_t> kWidths{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 40, 48, 49, 65, 96, 97, 100};

template <class T>
Matrix<T> top_left(const Matrix<T>& m, std::size_t rows, std::size_t cols) {
  return convert<T>(MatrixView<const T>(m.data(), rows, cols, m.cols()));
}

template <class T>
class Product : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Product, Scalars);

// An element of a b depends on its row, its column and the depth, not on the shape around it: one naive product serves
// every shape.
TYPED_TEST(Product, WholeNumbersComeOutExactForEveryShapeAndKernel) {
  using T = TypeParam;
  const Matrix<T> a = whole_matrix<T>(kMaxRows, 600, 1);
  const Matrix<T> b = whole_matrix<T>(600, kMaxCols, 2);
  for (const std::size_t depth : kDepths) {
    const Matrix<double> expected = naive_product(a, b, depth);
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      for (const std::size_t cols : kWidths) {
        PackedRight<T> right(kernel);
        right.pack(top_left(b, depth, cols));
        for (std::size_t rows = 1; rows <= kMaxRows; ++rows) {
          Matrix<T> c(rows, cols);
          std::fill_n(c.data(), c.size(), T{-77});
          multiply<T>(plain(MatrixView<const T>(a.data(), rows, depth, a.cols())), right, c.view());
          for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j)
              ASSERT_EQ(static_cast<double>(c(i, j)), expected(i, j))
                  << kernel.name << ": " << rows << " x " << depth << " x " << cols << " at " << i << ", " << j;
        }
      }
    }
  }
}

TYPED_TEST(Product, RowsPackedAgainAreThoseOfAWholePack) {
  using T = TypeParam;
  constexpr std::size_t kRows = 300, kCols = 70, kFirst = 250, kCount = 20;  // across two chunks of the depth
  const Matrix<T> before = random_matrix<T>(kRows, kCols, 8), left = random_matrix<T>(5, kRows, 9);
  Matrix<T> after = before;
  for (std::size_t i = kFirst * kCols; i < (kFirst + kCount) * kCols; ++i) after.data()[i] += T{1};
  for (const Kernels<T>& kernel : all_kernels<T>()) {
    PackedRight<T> whole(kernel), again(kernel);
    whole.pack(after.view());
    again.pack(before.view());
    again.pack_rows_again(after.view(), kFirst, kCount);
    Matrix<T> expected(5, kCols), result(5, kCols);
    multiply<T>(plain(left.view()), whole, expected.view());
    multiply<T>(plain(left.view()), again, result.view());
    EXPECT_EQ(result, expected) << kernel.name;
  }
}

TYPED_TEST(Product, TransposedOperandsAddAndSubtract) {
  using T = TypeParam;
  for (const std::size_t depth : kDepths) {
    const Matrix<T> a = whole_matrix<T>(13, std::max<std::size_t>(depth, 1), 3);
    const Matrix<T> b = whole_matrix<T>(std::max<std::size_t>(depth, 1), 35, 4);
    const Matrix<double> expected = naive_product(a, b, depth);
    const Matrix<T> left = naive_transpose(top_left(a, 13, depth));
    const Matrix<T> right_rows = naive_transpose(top_left(b, depth, 35));
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      PackedRight<T> right(kernel);
      right.pack_transposed(right_rows);
      EXPECT_EQ(right.depth(), depth);
      EXPECT_EQ(right.cols(), 35u);
      for (const Into into : {Into::kSet, Into::kAdd, Into::kSubtract}) {
        Matrix<T> c(13, 35);
        std::fill_n(c.data(), c.size(), T{5});
        multiply<T>(transposed(left.view()), right, c.view(), into);
        for (std::size_t i = 0; i < c.rows(); ++i) {
          for (std::size_t j = 0; j < c.cols(); ++j) {
            const double sign = into == Into::kSubtract ? -1 : 1;
            const double start = into == Into::kSet ? 0 : 5;
            ASSERT_EQ(static_cast<double>(c(i, j)), start + sign * expected(i, j))
                << kernel.name << ", depth " << depth;
          }
        }
      }
    }
  }
}

// |error| <= (depth + 1) epsilon |a||b| of the element's row and column.
TYPED_TEST(Product, RandomNumbersStayWithinTheRoundingBound) {
  using T = TypeParam;
  const Matrix<T> a = random_matrix<T>(kMaxRows, 600, 5);
  const Matrix<T> b = random_matrix<T>(600, kMaxCols, 6);
  for (const std::size_t depth : kDepths) {
    const Matrix<double> expected = naive_product(a, b, depth);
    for (const Kernels<T>& kernel : all_kernels<T>()) {
      PackedRight<T> right(kernel);
      right.pack(MatrixView<const T>(b.data(), depth, kMaxCols));
      Matrix<T> c(kMaxRows, kMaxCols);
      multiply<T>(plain(MatrixView<const T>(a.data(), kMaxRows, depth, a.cols())), right, c.view());
      for (std::size_t i = 0; i < c.rows(); ++i) {
        for (std::size_t j = 0; j < c.cols(); ++j) {
          double scale = 0;
          for (std::size_t k = 0; k < depth; ++k) scale += std::abs(static_cast<double>(a(i, k) * b(k, j)));
          ASSERT_LE(std::abs(static_cast<double>(c(i, j)) - expected(i, j)),
                    static_cast<double>(depth + 1) * Tolerance<T>::kEpsilon * scale)
              << kernel.name << ", depth " << depth;
        }
      }
    }
  }
}

TYPED_TEST(Product, TheBitsOfAnElementDoNotDependOnTheBatch) {
  using T = TypeParam;
  const std::size_t depth = 300;
  const Matrix<T> a = random_matrix<T>(kMaxRows, depth, 7);
  const Matrix<T> b = random_matrix<T>(depth, kMaxCols, 8);
  for (const Kernels<T>& kernel : all_kernels<T>()) {
    PackedRight<T> right(kernel);
    right.pack(b);
    Matrix<T> whole(kMaxRows, kMaxCols);
    multiply<T>(plain(a.view()), right, whole.view());
    for (std::size_t first = 0; first < kMaxRows; ++first) {
      for (std::size_t count = 1; first + count <= kMaxRows; ++count) {
        Matrix<T> part(count, kMaxCols);
        multiply<T>(plain(a.view().row_range(first, count)), right, part.view());
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t j = 0; j < kMaxCols; ++j)
            ASSERT_EQ(part(i, j), whole(first + i, j)) << kernel.name << ", rows " << first << " + " << count;
      }
    }
    for (std::size_t j = 0; j < kMaxCols; ++j) {
      PackedRight<T> column(kernel);
      column.pack(MatrixView<const T>(b.data() + j, depth, 1, kMaxCols));
      Matrix<T> part(kMaxRows, 1);
      multiply<T>(plain(a.view()), column, part.view());
      for (std::size_t i = 0; i < kMaxRows; ++i) ASSERT_EQ(part(i, 0), whole(i, j)) << kernel.name;
    }
    const Matrix<T> turned = naive_transpose(a);
    Matrix<T> part(kMaxRows, kMaxCols);
    multiply<T>(transposed(turned.view()), right, part.view());
    ASSERT_EQ(part, whole) << kernel.name << ", transposed";
  }
}

TYPED_TEST(Product, FromFirstColumnOnEverythingIsThere) {
  using T = TypeParam;
  const Matrix<T> a = whole_matrix<T>(14, 300, 9);
  const Matrix<T> b = whole_matrix<T>(300, kMaxCols, 10);
  const Matrix<double> expected = naive_product(a, b, 300);
  for (const Kernels<T>& kernel : all_kernels<T>()) {
    PackedRight<T> right(kernel);
    right.pack(b);
    for (std::size_t first = 0; first < kMaxCols; ++first) {
      Matrix<T> c(14, kMaxCols);
      multiply<T>(plain(a.view()), right, c.view(), Into::kSet, first);
      for (std::size_t i = 0; i < c.rows(); ++i)
        for (std::size_t j = first; j < kMaxCols; ++j)
          ASSERT_EQ(static_cast<double>(c(i, j)), expected(i, j)) << kernel.name << ", from " << first;
    }
  }
}

TYPED_TEST(Product, PackingASmallerOperandForgetsTheLarger) {
  using T = TypeParam;
  const Matrix<T> a = whole_matrix<T>(7, 300, 11);
  PackedRight<T> right;
  right.pack(whole_matrix<T>(300, kMaxCols, 12));
  const Matrix<T> small = whole_matrix<T>(5, 3, 13);
  right.pack(small);
  Matrix<T> c(7, 3);
  multiply<T>(plain(MatrixView<const T>(a.data(), 7, 5, 300)), right, c.view());
  const Matrix<double> expected = naive_product(top_left(a, 7, 5), small, 5);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(static_cast<double>(c.data()[i]), expected.data()[i]);
}

TYPED_TEST(Product, WritesNothingOutsideItsTarget) {
  using T = TypeParam;
  const Matrix<T> a = whole_matrix<T>(7, 9, 14);
  const Matrix<T> b = whole_matrix<T>(9, 11, 15);
  for (const Kernels<T>& kernel : all_kernels<T>()) {
    PackedRight<T> right(kernel);
    right.pack(b);
    Matrix<T> frame(9, 20);
    std::fill_n(frame.data(), frame.size(), T{42});
    multiply<T>(plain(a.view()), right, MatrixView<T>(frame.row(1) + 4, 7, 11, 20));
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t j = 0; j < 20; ++j)
        if (i < 1 || i > 7 || j < 4 || j > 14) {
          ASSERT_EQ(frame(i, j), T{42}) << kernel.name << " at " << i << ", " << j;
        }
  }
}

TYPED_TEST(Product, ShrinkingOnTheWayHasTheBitsOfShrinkingAfterwards) {
  using T = TypeParam;
  const Matrix<T> a = random_matrix<T>(kMaxRows, 600, 18);
  const Matrix<T> b = random_matrix<T>(600, kMaxCols, 19);
  std::vector<T> gain(kMaxCols), threshold(kMaxCols), growth(kMaxCols), levels(kMaxRows);
  for (std::size_t j = 0; j < kMaxCols; ++j) {
    gain[j] = T(1) + T(0.01) * static_cast<T>(j);
    threshold[j] = T(0.5) + T(0.1) * static_cast<T>(j % 7);
    growth[j] = T(0.2) * static_cast<T>(j % 5);
  }
  for (std::size_t i = 0; i < kMaxRows; ++i) levels[i] = T(0.3) * static_cast<T>(i);
  for (const std::size_t depth : {1u, 17u, 256u, 300u}) {
    for (const bool positive : {false, true}) {
      const Shrinkage<T> shrinkage{gain.data(), threshold.data(), growth.data(), levels.data(), positive};
      for (const Kernels<T>& kernel : all_kernels<T>()) {
        PackedRight<T> right(kernel);
        right.pack(MatrixView<const T>(b.data(), depth, kMaxCols));
        for (const Into into : {Into::kSet, Into::kAdd}) {
          const Left<T> left = plain(MatrixView<const T>(a.data(), kMaxRows, depth, a.cols()));
          Matrix<T> expected(kMaxRows, kMaxCols);
          std::fill_n(expected.data(), expected.size(), T{2});
          Matrix<T> c = expected;
          multiply<T>(left, right, expected.view(), into);
          for (std::size_t i = 0; i < kMaxRows; ++i) kernel.shrink(shrinkage.from(i, 0), expected.row(i), kMaxCols);
          multiply_and_shrink<T>(left, right, shrinkage, into, c.view());
          ASSERT_EQ(c, expected) << kernel.name << ", depth " << depth;
        }
      }
    }
  }
}

TYPED_TEST(Product, ShortFormsAgreeWithNaive) {
  using T = TypeParam;
  const Matrix<T> a = whole_matrix<T>(6, 10, 16);
  const Matrix<T> b = whole_matrix<T>(10, 8, 17);
  const Matrix<double> expected = naive_product(a, b, 10);
  EXPECT_EQ(convert<double>(multiply<T>(a.view(), b.view())), expected);
  const Matrix<T> bt = naive_transpose(b);
  EXPECT_EQ(convert<double>(multiply_transposed<T>(a.view(), bt.view())), expected);
  const Matrix<T> at = naive_transpose(a);
  EXPECT_EQ(convert<double>(transposed_multiply<T>(at.view(), b.view())), expected);
}

}  // namespace
}  // namespace dualdict
