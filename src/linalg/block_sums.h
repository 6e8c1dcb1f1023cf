// SPDX-License-Identifier: BSD-3-Clause
// Sums of products over blocks of samples, in double, with the same bits for any number of threads: threads share out
// the rows of the result, and each row adds the blocks in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/sparse_product.h"

namespace dualdict {

// One block's share: left' right, left n x rows, right n x cols packed. Marks say where left' is not zero, as in
// multiply_marked; null: nearly everywhere. The bits of the sum are the same.
template <class T>
struct BlockProduct {
  MatrixView<const T> left;
  const PackedRight<T>* right;
  const std::uint64_t* marks = nullptr;
};

// sum (rows x cols) += the blocks' products, in the order given. symmetric: only the upper triangle is kept up to date;
// mirror_upper() fills the rest.
template <class T>
struct SumOfBlocks {
  std::span<const BlockProduct<T>> blocks;
  bool symmetric;
  Matrix<double>* sum;
};

template <class T>
class BlockSums {
 public:
  BlockSums(std::size_t n_workers, std::size_t max_cols);

  // All of them in one round of the pool.
  void add(ThreadPool& pool, std::initializer_list<SumOfBlocks<T>> sums);

 private:
  // The rows of a sum from first_row on that one task makes.
  static void add_rows(const SumOfBlocks<T>& one, std::size_t first_row, Matrix<T>& scratch);

  std::vector<Matrix<T>> scratch_;  // one tile per worker
};

}  // namespace dualdict
