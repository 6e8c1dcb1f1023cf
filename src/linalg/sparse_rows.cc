// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

#include <algorithm>

#include "linalg/kernels/kernels.h"

namespace dualdict {

template <class T>
void SparseRows<T>::assign(MatrixView<const T> dense) {
  const Kernels<T>& kernel = kernels<T>();
  begin.resize(dense.rows + 1);
  begin[0] = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    const std::size_t needed = n + dense.cols + kWidestVector;
    if (column.size() < needed) {
      column.resize(std::max(needed, std::min(2 * needed, dense.rows * dense.cols + kWidestVector)));
      value.resize(column.size());
    }
    n += kernel.list_nonzeros(dense.row(i), dense.cols, column.data() + n, value.data() + n);
    begin[i + 1] = n;
  }
}

template struct SparseRows<float>;
template struct SparseRows<double>;

}  // namespace dualdict
