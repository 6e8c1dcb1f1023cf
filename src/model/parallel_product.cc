// SPDX-License-Identifier: BSD-3-Clause
#include "model/parallel_product.h"

#include <algorithm>
#include <vector>

#include "linalg/sparse_product.h"
#include "linalg/sparse_rows.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr std::size_t kRows = 96;  // of one task: whole tiles of every kernel

std::size_t n_tasks(std::size_t rows) {
  return (rows + kRows - 1) / kRows;
}

// c = a b
void multiply_dense(const Left<double>& a, const PackedRight<double>& b, MatrixView<double> c, ThreadPool& pool) {
  pool.run(n_tasks(a.rows), [&](std::size_t task, std::size_t) {
    const std::size_t first = task * kRows;
    Left<double> part = a;
    part.data += first * a.row_stride;
    part.rows = std::min(kRows, a.rows - first);
    multiply<double>(part, b, c.row_range(first, part.rows), Into::kSet);
  });
}

}  // namespace

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

Matrix<double> parallel_multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool) {
  PackedRight<double> right;
  right.pack_transposed(b);
  Matrix<double> c(a.rows, b.rows);
  multiply_dense(plain(a), right, c.view(), pool);
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
