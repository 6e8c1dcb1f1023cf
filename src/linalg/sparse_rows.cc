// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

#include <algorithm>

namespace dualdict {

template <class T>
void SparseRows<T>::assign(MatrixView<const T> dense) {
  const Kernels<T>& kernel = kernels<T>();
  begin.resize(dense.rows + 1);
  begin[0] = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    const std::size_t needed = n + dense.cols;
    if (column.size() < needed) {
      column.resize(std::max(needed, std::min(2 * needed, dense.rows * dense.cols)));
      value.resize(column.size());
    }
    n += kernel.list_nonzeros(dense.row(i), dense.cols, column.data() + n, value.data() + n);
    begin[i + 1] = n;
  }
}

namespace {

// The nonzeros of `left` that left.chunk bounds times the rows of one chunk of `right`.
template <class T>
void add_chunk(const SparseRows<T>& left, const PackedRight<T>& right, std::size_t first, Into into,
               MatrixView<T> out) {
  const Kernels<T>& kernel = right.kernels();
  const std::size_t depth = right.chunk_depth(first);
  const std::size_t width = kernel.panel_width;
  const std::size_t n_panels = (right.cols() + width - 1) / width;
  const std::size_t n_groups = (n_panels + kMostPanels - 1) / kMostPanels;
  std::size_t k = 0;
  for (std::size_t group = 0; group < n_groups; ++group) {
    const std::size_t end = std::min(right.cols(), n_panels * (group + 1) / n_groups * width);
    kernel.add_panel_rows({left.value.data(), left.column.data(), left.chunk.data(), left.n_rows(), into,
                           static_cast<std::uint32_t>(first), right.panel(first, k), depth * width, out.data + k,
                           out.stride, end - k});
    k = end;
  }
}

// Where the elements of every row begin and end whose columns are in the chunk that begins with column `first`.
template <class T>
void find_chunk(std::size_t first, std::size_t depth, SparseRows<T>& left) {
  left.chunk.resize(2 * left.n_rows());
  for (std::size_t i = 0; i < left.n_rows(); ++i) {
    const std::size_t from = first == 0 ? left.begin[i] : left.chunk[2 * i + 1];
    const auto begin = left.column.begin();
    const auto after = std::lower_bound(begin + static_cast<std::ptrdiff_t>(from),
                                        begin + static_cast<std::ptrdiff_t>(left.begin[i + 1]), first + depth);
    left.chunk[2 * i] = from;
    left.chunk[2 * i + 1] = static_cast<std::size_t>(after - begin);
  }
}

}  // namespace

template <class T>
void multiply_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, SparseRows<T>& work,
                     MatrixView<T> out) {
  constexpr double kSparseShare = 0.6;
  work.assign(left);
  if (static_cast<double>(work.n_elements()) > kSparseShare * static_cast<double>(left.rows * left.cols)) {
    multiply<T>(plain(left), right, out, into);
    return;
  }
  for (std::size_t first = 0; first < right.depth(); first += PackedRight<T>::kDepthChunk) {
    find_chunk(first, right.chunk_depth(first), work);
    add_chunk(work, right, first, into, out);
  }
}

#define DUALDICT_INSTANTIATE(T)  \
  template struct SparseRows<T>; \
  template void multiply_sparse<T>(MatrixView<const T>, const PackedRight<T>&, Into, SparseRows<T>&, MatrixView<T>);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
