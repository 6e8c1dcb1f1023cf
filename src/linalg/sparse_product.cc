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

// Columns of the left operand that are taken at once, in one chunk of the right one, and where they are not zero.
struct Part {
  std::size_t first;
  std::size_t count;
  const std::uint64_t* marks;  // of the first row
  std::size_t marks_stride;    // words from one row to the next
};

template <class T>
struct Target {
  MatrixView<T> out;
  Into into;
  Shrinkage<T> shrinkage = {};  // when the part is the last one
};

// From the panel on that has first_column.
template <class T>
void add_part(const Left<T>& left, const PackedRight<T>& right, const Part& part, const Target<T>& target,
              std::size_t first_column) {
  const Kernels<T>& kernel = right.kernels();
  const std::size_t width = kernel.panel_width;
  const std::size_t in_chunk = part.first % PackedRight<T>::kDepthChunk;
  const std::size_t chunk = part.first - in_chunk;
  const std::size_t first_panel = first_column / width;
  const std::size_t n_panels = (right.cols() + width - 1) / width - first_panel;
  const std::size_t n_groups = (n_panels + kernel.panels_at_once - 1) / kernel.panels_at_once;
  std::size_t k = first_panel * width;
  for (std::size_t group = 0; group < n_groups; ++group) {
    const std::size_t end = std::min(right.cols(), (first_panel + n_panels * (group + 1) / n_groups) * width);
    kernel.add_panel_rows({left.data + part.first * left.depth_stride, left.row_stride, left.depth_stride, left.rows,
                           part.marks, part.marks_stride, mark_words(part.count), target.into,
                           right.panel(chunk, k) + in_chunk * width, right.chunk_depth(chunk) * width,
                           target.out.data + k, target.out.stride, end - k, target.shrinkage.from(0, k)});
    k = end;
  }
}

}  // namespace

template <class T>
bool multiply_if_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, UsedColumns& work,
                        MatrixView<T> out, const Shrinkage<T>& shrinkage) {
  const Kernels<T>& kernel = right.kernels();
  const double share = share_of_nonzeros(left);
  if (share > kernel.sparse_share) return false;
  for (std::size_t chunk = 0; chunk < right.depth(); chunk += PackedRight<T>::kDepthChunk) {
    const std::size_t end = chunk + right.chunk_depth(chunk);
    const std::size_t at_once = rows_at_once(kernel, right.chunk_depth(chunk), share);
    const std::size_t n_words = mark_words(at_once);
    if (work.bits.size() < left.rows * n_words) work.bits.resize(left.rows * n_words);
    for (std::size_t first = chunk; first < end; first += at_once) {
      const std::size_t count = std::min(at_once, end - first);
      for (std::size_t i = 0; i < left.rows; ++i)
        kernel.mark_nonzeros(left.row(i) + first, count, work.bits.data() + i * n_words);
      Target<T> target{out, into};
      if (first + count == right.depth()) target.shrinkage = shrinkage;
      add_part<T>(plain(left), right, {first, count, work.bits.data(), n_words}, target, 0);
    }
  }
  return true;
}

template <class T>
void multiply_marked(const Left<T>& left, const std::uint64_t* marks, const PackedRight<T>& right, MatrixView<T> out,
                     std::size_t first_column) {
  static_assert(PackedRight<T>::kDepthChunk % kMarksPerWord == 0);
  const std::size_t n_words = mark_words(left.depth);
  for (std::size_t i = 0; i < out.rows; ++i) std::fill(out.row(i), out.row(i) + out.cols, T{0});
  // A word of columns at a time: about what stays in the first cache.
  for (std::size_t word = 0; word < n_words; ++word) {
    const std::size_t first = word * kMarksPerWord;
    const std::size_t count = std::min(kMarksPerWord, left.depth - first);
    add_part<T>(left, right, {first, count, marks + word, n_words}, {out, Into::kAdd}, first_column);
  }
}

template <class T>
void multiply_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, UsedColumns& work,
                     MatrixView<T> out) {
  if (!multiply_if_sparse(left, right, into, work, out)) multiply<T>(plain(left), right, out, into);
}

#define DUALDICT_INSTANTIATE(T)                                                                                      \
  template bool multiply_if_sparse<T>(MatrixView<const T>, const PackedRight<T>&, Into, UsedColumns&, MatrixView<T>, \
                                      const Shrinkage<T>&);                                                          \
  template void multiply_sparse<T>(MatrixView<const T>, const PackedRight<T>&, Into, UsedColumns&, MatrixView<T>);   \
  template void multiply_marked<T>(const Left<T>&, const std::uint64_t*, const PackedRight<T>&, MatrixView<T>,       \
                                   std::size_t);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
