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
    const std::size_t needed = n + dense.cols + kWidestVector;
    if (column.size() < needed) {
      column.resize(std::max(needed, std::min(2 * needed, dense.rows * dense.cols + kWidestVector)));
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
  const std::size_t n_groups = (n_panels + kernel.panels_at_once - 1) / kernel.panels_at_once;
  std::size_t k = 0;
  for (std::size_t group = 0; group < n_groups; ++group) {
    const std::size_t end = std::min(right.cols(), n_panels * (group + 1) / n_groups * width);
    kernel.add_panel_rows({left.value.data(), left.offset.data(), left.chunk.data(), left.n_rows(), into,
                           right.panel(first, k), depth * width, out.data + k, out.stride, end - k});
    k = end;
  }
}

// Where the elements of every row begin and end whose columns are in the chunk that begins with column `first`, and
// where the rows of `right` are that these are multiplied with.
template <class T>
void find_chunk(const PackedRight<T>& right, std::size_t first, SparseRows<T>& left) {
  const auto width = static_cast<std::uint32_t>(right.kernels().panel_width);
  left.chunk.resize(2 * left.n_rows());
  if (left.offset.size() < left.column.size()) left.offset.resize(left.column.size());
  for (std::size_t i = 0; i < left.n_rows(); ++i) {
    const std::size_t from = first == 0 ? left.begin[i] : left.chunk[2 * i + 1];
    const auto begin = left.column.begin();
    const auto after =
        std::lower_bound(begin + static_cast<std::ptrdiff_t>(from),
                         begin + static_cast<std::ptrdiff_t>(left.begin[i + 1]), first + right.chunk_depth(first));
    left.chunk[2 * i] = from;
    left.chunk[2 * i + 1] = static_cast<std::size_t>(after - begin);
    for (std::size_t e = from; e < left.chunk[2 * i + 1]; ++e)
      left.offset[e] = (left.column[e] - static_cast<std::uint32_t>(first)) * width;
  }
}

}  // namespace

template <class T>
bool is_sparse(MatrixView<const T> left) {
  constexpr double kShare = 0.36;
  constexpr std::size_t kLooked = 32;
  const std::size_t step = std::max<std::size_t>(1, left.rows / kLooked);
  std::size_t nonzeros = 0, looked = 0;
  for (std::size_t i = 0; i < left.rows; i += step, looked += left.cols)
    nonzeros += kernels<T>().count_nonzeros(left.row(i), left.cols);
  return static_cast<double>(nonzeros) <= kShare * static_cast<double>(looked);
}

template <class T>
void multiply_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, SparseRows<T>& work,
                     MatrixView<T> out) {
  if (!is_sparse(left)) return multiply<T>(plain(left), right, out, into);
  work.assign(left);
  for (std::size_t first = 0; first < right.depth(); first += PackedRight<T>::kDepthChunk) {
    find_chunk(right, first, work);
    add_chunk(work, right, first, into, out);
  }
}

#define DUALDICT_INSTANTIATE(T)                    \
  template struct SparseRows<T>;                   \
  template bool is_sparse<T>(MatrixView<const T>); \
  template void multiply_sparse<T>(MatrixView<const T>, const PackedRight<T>&, Into, SparseRows<T>&, MatrixView<T>);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
