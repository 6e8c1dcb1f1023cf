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

template <class T>
void mark_columns(const SparseRows<T>& rows, std::size_t n_columns, std::vector<std::uint64_t>& marks) {
  const std::size_t n_words = mark_words(rows.n_rows());
  marks.assign(n_columns * n_words, 0);
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    const std::uint64_t mark = std::uint64_t{1} << (i % kMarksPerWord);
    std::uint64_t* const word = marks.data() + i / kMarksPerWord;
    for (std::size_t e = rows.begin[i]; e < rows.begin[i + 1]; ++e) word[rows.column[e] * n_words] |= mark;
  }
}

template void mark_columns<float>(const SparseRows<float>&, std::size_t, std::vector<std::uint64_t>&);
template void mark_columns<double>(const SparseRows<double>&, std::size_t, std::vector<std::uint64_t>&);
template struct SparseRows<float>;
template struct SparseRows<double>;

}  // namespace dualdict
