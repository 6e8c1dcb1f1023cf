// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/block_sums.h"

#include <algorithm>

namespace dualdict {
namespace {

// Rows of the result that one task makes: whole tiles of every kernel, and enough tasks for many threads.
constexpr std::size_t kRowsPerTask = 48;

}  // namespace

template <class T>
BlockSums<T>::BlockSums(std::size_t n_workers, std::size_t max_cols) {
  scratch_.reserve(n_workers);
  for (std::size_t i = 0; i < n_workers; ++i) scratch_.emplace_back(kRowsPerTask, max_cols);
}

template <class T>
void BlockSums<T>::add_rows(const SumOfBlocks<T>& one, std::size_t first_row, Matrix<T>& scratch) {
  Matrix<double>& sum = *one.sum;
  const std::size_t n_rows = std::min(kRowsPerTask, sum.rows() - first_row);
  const std::size_t first_column = one.symmetric ? first_row : 0;
  const MatrixView<T> tile(scratch.data(), n_rows, sum.cols(), scratch.cols());
  for (const BlockProduct<T>& block : one.blocks) {
    Left<T> left = transposed(block.left);
    left.data += first_row * left.row_stride;
    left.rows = n_rows;
    if (block.marks == nullptr)
      multiply(left, *block.right, tile, Into::kSet, first_column);
    else
      multiply_marked(left, block.marks + first_row * mark_words(left.depth), *block.right, tile, first_column);
    for (std::size_t i = 0; i < n_rows; ++i) {
      double* out = sum.row(first_row + i);
      const T* in = tile.row(i);
      for (std::size_t j = first_column; j < sum.cols(); ++j) out[j] += static_cast<double>(in[j]);
    }
  }
}

template <class T>
void BlockSums<T>::add(ThreadPool& pool, std::initializer_list<SumOfBlocks<T>> sums) {
  const auto n_tasks = [](const SumOfBlocks<T>& one) { return (one.sum->rows() + kRowsPerTask - 1) / kRowsPerTask; };
  std::size_t n_all = 0;
  for (const SumOfBlocks<T>& one : sums) n_all += n_tasks(one);
  pool.run(n_all, [&](std::size_t task, std::size_t worker) {
    const SumOfBlocks<T>* one = sums.begin();
    for (; task >= n_tasks(*one); ++one) task -= n_tasks(*one);
    add_rows(*one, task * kRowsPerTask, scratch_[worker]);
  });
}

template class BlockSums<float>;
template class BlockSums<double>;

}  // namespace dualdict
