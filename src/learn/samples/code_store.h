// SPDX-License-Identifier: BSD-3-Clause
// The codes U of all samples, block by block: the nonzeros of a block where they take less memory than all its
// elements.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"
#include "linalg/sparse_rows.h"
#include "solvers/code_step.h"

namespace dualdict {

// Zero to begin with. A negative zero is kept as zero, however its block is stored.
template <class T>
class CodeStore {
 public:
  CodeStore() = default;
  CodeStore(std::size_t rows, std::size_t cols);
  // Zero again, of another shape if need be; keeps memory.
  void clear(std::size_t rows, std::size_t cols);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  // Block b holds the rows from b * kBlockSamples on.
  std::size_t n_blocks() const { return blocks_.size(); }
  std::size_t block_start(std::size_t block) const { return block * kBlockSamples; }
  std::size_t block_size(std::size_t block) const;

  // Fills `out` with the rows from `first` on.
  void read(std::size_t first, MatrixView<T> out) const;
  // The rows of a block, in `buffer`, which grows when it must.
  MatrixView<const T> read_block(std::size_t block, Matrix<T>& buffer) const;
  // Replaces the rows from `first` on, all of one block; `work` holds their nonzeros afterwards. Different blocks may
  // be written at the same time.
  void write(std::size_t first, MatrixView<const T> rows, SparseRows<T>& work);

  std::size_t n_nonzeros() const;
  std::size_t n_bytes() const;

 private:
  struct Block {
    SparseRows<T> nonzeros;  // without rows: all are zero
    Matrix<T> dense;         // empty unless it takes less memory
  };
  void replace(std::size_t block, MatrixView<const T> rows, const SparseRows<T>& nonzeros);

  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace dualdict
