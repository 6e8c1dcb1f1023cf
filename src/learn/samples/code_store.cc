// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples/code_store.h"

#include <algorithm>
#include <cstdint>

#include "linalg/vectors.h"

namespace dualdict {
namespace {

// The elements alone, in memory that fits: a block is rewritten in every pass, mostly with a few more or less.
template <class Element>
void assign_fitting(const std::vector<Element>& from, std::size_t size, std::vector<Element>& to) {
  if (to.capacity() < size || to.capacity() > size + size / 4) to = {};
  to.reserve(size);
  to.assign(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(size));
}

}  // namespace

template <class T>
CodeStore<T>::CodeStore(std::size_t rows, std::size_t cols)
    : rows_(rows), cols_(cols), blocks_((rows + kBlockSamples - 1) / kBlockSamples) {}

template <class T>
void CodeStore<T>::clear(std::size_t rows, std::size_t cols) {
  rows_ = rows;
  cols_ = cols;
  blocks_.resize((rows + kBlockSamples - 1) / kBlockSamples);
  for (Block& block : blocks_) {
    block.nonzeros.begin.assign(1, 0);
    block.dense = {};
  }
}

template <class T>
std::size_t CodeStore<T>::block_size(std::size_t block) const {
  return std::min(kBlockSamples, rows_ - block_start(block));
}

template <class T>
void CodeStore<T>::read(std::size_t first, MatrixView<T> out) const {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const auto& [nonzeros, dense] = blocks_[(first + i) / kBlockSamples];
    const std::size_t row = (first + i) % kBlockSamples;
    if (!dense.empty()) {
      std::copy_n(dense.row(row), cols_, out.row(i));
      continue;
    }
    std::fill_n(out.row(i), cols_, T{0});
    if (nonzeros.n_rows() == 0) continue;
    for (std::size_t e = nonzeros.begin[row]; e < nonzeros.begin[row + 1]; ++e)
      out(i, nonzeros.column[e]) = nonzeros.value[e];
  }
}

template <class T>
MatrixView<const T> CodeStore<T>::read_block(std::size_t block, Matrix<T>& buffer) const {
  if (buffer.rows() < block_size(block) || buffer.cols() != cols_) buffer = Matrix<T>(kBlockSamples, cols_);
  const MatrixView<T> rows = buffer.view().row_range(0, block_size(block));
  read(block_start(block), rows);
  return rows;
}

template <class T>
void CodeStore<T>::write(std::size_t first, MatrixView<const T> rows, SparseRows<T>& work) {
  const std::size_t block = first / kBlockSamples;
  if (rows.rows < block_size(block)) {
    Matrix<T> whole;
    read_block(block, whole);
    for (std::size_t i = 0; i < rows.rows; ++i)
      std::copy_n(rows.row(i), cols_, whole.row(first - block_start(block) + i));
    const MatrixView<const T> all = whole.view().row_range(0, block_size(block));
    work.assign(all);
    replace(block, all, work);
    work.assign(rows);
    return;
  }
  work.assign(rows);
  replace(block, rows, work);
}

template <class T>
void CodeStore<T>::replace(std::size_t block, MatrixView<const T> rows, const SparseRows<T>& nonzeros) {
  auto& [kept, dense] = blocks_[block];
  const std::size_t n = nonzeros.n_elements();
  const std::size_t sparse_bytes =
      n * (sizeof(T) + sizeof(std::uint32_t)) + nonzeros.begin.size() * sizeof(std::size_t);
  if (sparse_bytes < rows.size() * sizeof(T)) {
    dense = {};
    kept.begin = nonzeros.begin;
    assign_fitting(nonzeros.column, n, kept.column);
    assign_fitting(nonzeros.value, n, kept.value);
    return;
  }
  kept = {};
  if (dense.empty()) dense = Matrix<T>(rows.rows, cols_);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < cols_; ++j) dense(i, j) = rows(i, j) + T{0};
}

template <class T>
std::size_t CodeStore<T>::n_nonzeros() const {
  std::size_t n = 0;
  for (const auto& [nonzeros, dense] : blocks_) {
    n += nonzeros.n_elements();
    for (std::size_t i = 0; i < dense.rows(); ++i) n += count_nonzeros(dense.row(i), cols_);
  }
  return n;
}

template <class T>
std::size_t CodeStore<T>::n_bytes() const {
  std::size_t bytes = blocks_.size() * sizeof(Block);
  for (const auto& [nonzeros, dense] : blocks_)
    bytes += nonzeros.begin.capacity() * sizeof(std::size_t) + nonzeros.column.capacity() * sizeof(std::uint32_t) +
             nonzeros.value.capacity() * sizeof(T) + dense.size() * sizeof(T);
  return bytes;
}

template class CodeStore<float>;
template class CodeStore<double>;

}  // namespace dualdict
