// SPDX-License-Identifier: BSD-3-Clause
#include "model/parallel_product.h"

#include <algorithm>

namespace dualdict {

void parallel_multiply(const Left<double>& a, const PackedRight<double>& b, MatrixView<double> c, Into into,
                       ThreadPool& pool) {
  constexpr std::size_t kRows = 16 * kTileRows;
  pool.run((a.rows + kRows - 1) / kRows, [&](std::size_t task, std::size_t) {
    const std::size_t first = task * kRows;
    Left<double> part = a;
    part.data += first * a.row_stride;
    part.rows = std::min(kRows, a.rows - first);
    multiply<double>(part, b, c.row_range(first, part.rows), into);
  });
}

Matrix<double> parallel_multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool) {
  PackedRight<double> right;
  right.pack_transposed(b);
  Matrix<double> c(a.rows, b.rows);
  parallel_multiply(plain(a), right, c.view(), Into::kSet, pool);
  return c;
}

Matrix<double> parallel_transposed_multiply(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool) {
  PackedRight<double> right;
  right.pack(b);
  Matrix<double> c(a.cols, b.cols);
  parallel_multiply(transposed(a), right, c.view(), Into::kSet, pool);
  return c;
}

Matrix<double> parallel_multiply(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool) {
  PackedRight<double> right;
  right.pack(b);
  Matrix<double> c(a.rows, b.cols);
  parallel_multiply(plain(a), right, c.view(), Into::kSet, pool);
  return c;
}

}  // namespace dualdict
