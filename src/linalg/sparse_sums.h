// SPDX-License-Identifier: BSD-3-Clause
// The sums UU' and UX' over blocks of sparse codes, in double. As in BlockSums threads share out the rows of the result
// and each row adds the blocks in their order, so the bits do not depend on their number.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/sparse_rows.h"

namespace dualdict {

template <class T>
struct SparseBlock {
  MatrixView<const T> samples;
  const SparseRows<T>* codes;
};

template <class T>
class SparseSums {
 public:
  SparseSums(std::size_t n_workers, std::size_t n_features);

  // uu (K x K, the upper triangle) and ux (K x d) += the blocks' sums, in the order given.
  void add(ThreadPool& pool, std::span<const SparseBlock<T>> blocks, Matrix<double>& uu, Matrix<double>& ux);

 private:
  std::vector<Matrix<T>> scratch_;  // a task's rows of UX' of one block, per worker
};

}  // namespace dualdict
