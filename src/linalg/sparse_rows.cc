// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

namespace dualdict {

template <class T>
void SparseRows<T>::assign(MatrixView<const T> dense) {
  begin.resize(dense.rows + 1);
  begin[0] = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    if (column.size() < n + dense.cols) {
      column.resize(2 * n + dense.cols);
      value.resize(column.size());
    }
    const T* row = dense.row(i);
    for (std::size_t j = 0; j < dense.cols; ++j) {  // written always, kept when not zero: no branch to guess
      column[n] = static_cast<std::uint32_t>(j);
      value[n] = row[j];
      n += row[j] != T{0} ? 1 : 0;
    }
    begin[i + 1] = n;
  }
}

template struct SparseRows<float>;
template struct SparseRows<double>;

}  // namespace dualdict
