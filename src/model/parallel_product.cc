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

bool is_sparse(MatrixView<const double> a) {
  constexpr double kSparseShare = 0.3;
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) n += a(i, j) != 0 ? 1 : 0;
  return static_cast<double>(n) < kSparseShare * static_cast<double>(a.size());
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

Matrix<double> parallel_transposed_multiply(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool) {
  Matrix<double> c(a.cols, b.cols);
  if (is_sparse(a)) {
    parallel_multiply(transpose<double>(a), b, c.view(), Into::kAdd, pool);
    return c;
  }
  PackedRight<double> right;
  right.pack(b);
  multiply_dense(transposed(a), right, c.view(), pool);
  return c;
}

double parallel_quadratic(const Matrix<double>& a, MatrixView<const double> rows, ThreadPool& pool) {
  std::vector<SparseRows<double>> work(pool.size());
  std::vector<double> sums(n_tasks(rows.rows));
  pool.run(sums.size(), [&](std::size_t task, std::size_t worker) {
    const std::size_t first = task * kRows;
    SparseRows<double>& u = work[worker];
    u.assign(rows.row_range(first, std::min(kRows, rows.rows - first)));
    for (std::size_t i = 0; i < u.n_rows(); ++i)
      for (std::size_t e = u.begin[i]; e < u.begin[i + 1]; ++e) {
        const double* row = a.row(u.column[e]);
        double before = 0;  // the elements before e stand for those after it too
        for (std::size_t f = u.begin[i]; f < e; ++f) before += row[u.column[f]] * u.value[f];
        sums[task] += u.value[e] * (2 * before + row[u.column[e]] * u.value[e]);
      }
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace dualdict
