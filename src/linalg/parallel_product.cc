// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/parallel_product.h"

#include <algorithm>
#include <vector>

#include "linalg/sparse_product.h"
#include "linalg/sparse_rows.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// Rows of one task, whole tiles of every kernel; fewer in a product in which later rows have less to do.
constexpr std::size_t kRows = 96, kTriangleRows = 48;

std::size_t n_tasks(std::size_t rows, std::size_t rows_per_task = kRows) {
  return (rows + rows_per_task - 1) / rows_per_task;
}

}  // namespace

void parallel_multiply(MatrixView<const double> a, const PackedRight<double>& b, MatrixView<double> c, Into into,
                       ThreadPool& pool) {
  constexpr std::size_t kTiles = 16;  // rows
  const std::size_t share = (a.rows + pool.size() - 1) / pool.size();
  const std::size_t rows_per_task = std::clamp((share + kTiles - 1) / kTiles * kTiles, kTiles, kRows);
  pool.run(n_tasks(a.rows, rows_per_task), [&](std::size_t task, std::size_t) {
    const std::size_t first = task * rows_per_task;
    const std::size_t count = std::min(rows_per_task, a.rows - first);
    multiply<double>(plain(a.row_range(first, count)), b, c.row_range(first, count), into);
  });
}

void parallel_multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, Into into,
                       ThreadPool& pool) {
  PackedRight<double> right;
  right.pack(b);
  std::vector<UsedColumns> work(pool.size());
  pool.run(n_tasks(a.rows), [&](std::size_t task, std::size_t worker) {
    const std::size_t first = task * kRows;
    const std::size_t count = std::min(kRows, a.rows - first);
    multiply_sparse<double>(a.row_range(first, count), right, into, work[worker], c.row_range(first, count));
  });
}

namespace {

Matrix<double> product_with(MatrixView<const double> a, const PackedRight<double>& b, ThreadPool& pool) {
  Matrix<double> c(a.rows, b.cols());
  parallel_multiply(a, b, c.view(), Into::kSet, pool);
  return c;
}

// Where b is far larger than a and than a cache, a copy of it costs more than the product: a is packed then, b read in
// place, and what comes out turned. The bits are the same: each element is one sum in the order of the inner index.
bool is_better_turned(MatrixView<const double> a, MatrixView<const double> b, std::size_t cols) {
  constexpr std::size_t kLarge = std::size_t{1} << 20, kTimes = 4;
  return a.rows > 0 && b.rows * b.cols >= kLarge && cols >= kTimes * a.rows;
}

// (b' a')' for `rows`(first, count), which are rows of the left operand b or b'.
template <class Rows>
Matrix<double> turned_product(MatrixView<const double> a, std::size_t cols, const Rows& rows, ThreadPool& pool) {
  PackedRight<double> right;
  right.pack_transposed(a);
  Matrix<double> c(a.rows, cols);
  std::vector<Matrix<double>> work(pool.size());
  pool.run(n_tasks(cols), [&](std::size_t task, std::size_t worker) {
    if (work[worker].empty()) work[worker] = Matrix<double>(kRows, a.rows);
    const std::size_t first = task * kRows;
    const std::size_t count = std::min(kRows, cols - first);
    multiply<double>(rows(first, count), right, work[worker].view().row_range(0, count));
    for (std::size_t k = 0; k < a.rows; ++k)
      for (std::size_t i = 0; i < count; ++i) c(k, first + i) = work[worker](i, k);
  });
  return c;
}

}  // namespace

Matrix<double> parallel_multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool) {
  if (is_better_turned(a, b, b.rows))
    return turned_product(
        a, b.rows, [&](std::size_t first, std::size_t count) { return plain(b.row_range(first, count)); }, pool);
  PackedRight<double> right;
  right.pack_transposed(b);
  return product_with(a, right, pool);
}

Matrix<double> parallel_product(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool) {
  if (is_better_turned(a, b, b.cols))
    return turned_product(
        a, b.cols,
        [&](std::size_t first, std::size_t count) {
          return transposed(MatrixView<const double>{b.data + first, b.rows, count, b.stride});
        },
        pool);
  PackedRight<double> right;
  right.pack(b);
  return product_with(a, right, pool);
}

Matrix<double> parallel_gram(MatrixView<const double> a, ThreadPool& pool) {
  PackedRight<double> right;
  right.pack_transposed(a);
  Matrix<double> c(a.rows, a.rows);
  pool.run(n_tasks(a.rows, kTriangleRows), [&](std::size_t task, std::size_t) {
    const std::size_t first = task * kTriangleRows;
    const std::size_t count = std::min(kTriangleRows, a.rows - first);
    multiply<double>(plain(a.row_range(first, count)), right, c.view().row_range(first, count), Into::kSet, first);
  });
  mirror_upper(c);
  return c;
}

void add_transposed_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                            ThreadPool& pool) {
  constexpr std::size_t kDepth = 1024;
  for (std::size_t first = 0; first < a.rows; first += kDepth) {
    const std::size_t count = std::min(kDepth, a.rows - first);
    const Matrix<double> left = transpose<double>(a.row_range(first, count));
    parallel_multiply(left.view(), b.row_range(first, count), c, Into::kAdd, pool);
  }
}

}  // namespace dualdict
