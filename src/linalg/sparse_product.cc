// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_product.h"

#include <algorithm>

#include "linalg/vectors.h"

namespace dualdict {
namespace {

// The share of nonzeros, as some of the rows have it.
template <class T>
double share_of_nonzeros(MatrixView<const T> left) {
  constexpr std::size_t kLooked = 16;
  const std::size_t step = std::max<std::size_t>(1, left.rows / kLooked);
  std::size_t nonzeros = 0, looked = 0;
  for (std::size_t i = 0; i < left.rows; i += step, looked += left.cols)
    nonzeros += count_nonzeros(left.row(i), left.cols);
  return static_cast<double>(nonzeros) / static_cast<double>(std::max<std::size_t>(1, looked));
}

// How many of the `depth` rows of a chunk are taken at once: equal parts that stay in the first cache, where the rows
// of the left operand have enough nonzeros that beginning each of them several times is little beside them.
template <class T>
std::size_t rows_at_once(const Kernels<T>& kernel, std::size_t depth, double share) {
  constexpr double kManyShare = 0.15;
  if (share < kManyShare) return depth;
  const std::size_t row_bytes = kernel.panels_at_once * kernel.panel_width * sizeof(T);
  const std::size_t fitting = std::max<std::size_t>(1, kernel.cache_bytes / row_bytes);
  const std::size_t n_parts = (depth + fitting - 1) / fitting;
  return (depth + n_parts - 1) / n_parts;
}

std::size_t words_for(std::size_t depth) {
  return (depth + kMarksPerWord - 1) / kMarksPerWord;
}

template <class T>
void find_used(MatrixView<const T> left, const Kernels<T>& kernel, std::size_t first, std::size_t depth,
               UsedColumns& used) {
  const std::size_t n_words = words_for(depth);
  if (used.bits.size() < left.rows * n_words) used.bits.resize(left.rows * n_words);
  for (std::size_t i = 0; i < left.rows; ++i)
    kernel.mark_nonzeros(left.row(i) + first, depth, used.bits.data() + i * n_words);
}

// The used ones of `depth` columns of `left`, which begin with `first`, times the rows of `right`; all in one chunk.
template <class T>
void add_part(MatrixView<const T> left, const PackedRight<T>& right, std::size_t first, std::size_t depth, Into into,
              const UsedColumns& used, MatrixView<T> out) {
  const Kernels<T>& kernel = right.kernels();
  const std::size_t width = kernel.panel_width;
  const std::size_t in_chunk = first % PackedRight<T>::kDepthChunk;
  const std::size_t chunk = first - in_chunk;
  const std::size_t n_panels = (right.cols() + width - 1) / width;
  const std::size_t n_groups = (n_panels + kernel.panels_at_once - 1) / kernel.panels_at_once;
  std::size_t k = 0;
  for (std::size_t group = 0; group < n_groups; ++group) {
    const std::size_t end = std::min(right.cols(), n_panels * (group + 1) / n_groups * width);
    kernel.add_panel_rows({left.data + first, left.stride, left.rows, used.bits.data(), words_for(depth), into,
                           right.panel(chunk, k) + in_chunk * width, right.chunk_depth(chunk) * width, out.data + k,
                           out.stride, end - k});
    k = end;
  }
}

}  // namespace

template <class T>
bool multiply_if_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, UsedColumns& work,
                        MatrixView<T> out) {
  const Kernels<T>& kernel = right.kernels();
  const double share = share_of_nonzeros(left);
  if (share > kernel.sparse_share) return false;
  for (std::size_t chunk = 0; chunk < right.depth(); chunk += PackedRight<T>::kDepthChunk) {
    const std::size_t end = chunk + right.chunk_depth(chunk);
    const std::size_t at_once = rows_at_once(kernel, right.chunk_depth(chunk), share);
    for (std::size_t first = chunk; first < end; first += at_once) {
      const std::size_t depth = std::min(at_once, end - first);
      find_used(left, kernel, first, depth, work);
      add_part(left, right, first, depth, into, work, out);
    }
  }
  return true;
}

template <class T>
void multiply_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, UsedColumns& work,
                     MatrixView<T> out) {
  if (!multiply_if_sparse(left, right, into, work, out)) multiply<T>(plain(left), right, out, into);
}

#define DUALDICT_INSTANTIATE(T)                                                                                       \
  template bool multiply_if_sparse<T>(MatrixView<const T>, const PackedRight<T>&, Into, UsedColumns&, MatrixView<T>); \
  template void multiply_sparse<T>(MatrixView<const T>, const PackedRight<T>&, Into, UsedColumns&, MatrixView<T>);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
