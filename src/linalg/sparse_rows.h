// SPDX-License-Identifier: BSD-3-Clause
// The nonzero elements of a matrix, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

template <class T>
struct SparseRows {
  std::vector<std::size_t> begin = {0};  // row i has the elements begin[i] .. begin[i + 1] - 1, columns rising
  std::vector<std::uint32_t> column;
  std::vector<T> value;

  std::size_t n_rows() const { return begin.size() - 1; }
  std::size_t n_elements() const { return begin.back(); }
  // Replaces what was there; the memory is kept.
  void assign(MatrixView<const T> dense);
};

// Where the transpose is not zero, as multiply_marked reads it.
template <class T>
void mark_columns(const SparseRows<T>& rows, std::size_t n_columns, std::vector<std::uint64_t>& marks);

// Below this share of nonzeros the square of a sparse matrix is faster from one nonzero to the next than as a dense
// product.
inline constexpr double kSparseSquareShare = 0.125;

}  // namespace dualdict
