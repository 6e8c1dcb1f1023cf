// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

#include <algorithm>

namespace dualdict {

template <class T>
void SparseRows<T>::assign(MatrixView<const T> dense) {
  begin.resize(dense.rows + 1);
  begin[0] = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    if (column.size() < n + dense.cols) {
      column.resize(std::min(2 * n + dense.cols, dense.rows * dense.cols));
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

template <class T>
void multiply_sparse(MatrixView<const T> left, MatrixView<const T> right, const PackedRight<T>& packed, Into into,
                     SparseRows<T>& work, MatrixView<T> out) {
  constexpr double kSparseShare = 0.3;
  work.assign(left);
  if (static_cast<double>(work.n_elements()) > kSparseShare * static_cast<double>(left.rows * left.cols)) {
    multiply<T>(plain(left), packed, out, into);
    return;
  }
  const Kernels<T>& kernel = kernels<T>();
  const T sign = into == Into::kSubtract ? T{-1} : T{1};
  // Some columns at a time, in equal parts of at most seven vectors (half a panel each): few enough for these of all
  // rows of `right` to stay near, many enough to hide the latency of a sum.
  const std::size_t vector = std::max<std::size_t>(1, kernel.panel_width / 2);
  const std::size_t n_vectors = (right.cols + vector - 1) / vector;
  const std::size_t n_parts = (n_vectors + 6) / 7;
  std::size_t k = 0;
  for (std::size_t part = 0; part < n_parts; ++part) {
    const std::size_t width = std::min(right.cols, n_vectors * (part + 1) / n_parts * vector) - k;
    for (std::size_t i = 0; i < left.rows; ++i) {
      const std::size_t first = work.begin[i];
      kernel.add_rows({work.value.data() + first, work.column.data() + first, work.begin[i + 1] - first, sign,
                       right.data + k, right.stride, out.row(i) + k, width});
    }
    k += width;
  }
}

#define DUALDICT_INSTANTIATE(T)                                                                           \
  template struct SparseRows<T>;                                                                          \
  template void multiply_sparse<T>(MatrixView<const T>, MatrixView<const T>, const PackedRight<T>&, Into, \
                                   SparseRows<T>&, MatrixView<T>);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
