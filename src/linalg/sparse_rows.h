// SPDX-License-Identifier: BSD-3-Clause
// The nonzero elements of a matrix, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dualdict/matrix.h"
#include "linalg/product.h"

namespace dualdict {

template <class T>
struct SparseRows {
  std::vector<std::size_t> begin = {0};  // row i has the elements begin[i] .. begin[i + 1] - 1, columns rising
  std::vector<std::uint32_t> column;
  std::vector<T> value;
  // Scratch of multiply_sparse: where the elements of a row in a chunk begin and end, and their places in a panel.
  std::vector<std::size_t> chunk;
  std::vector<std::uint32_t> offset;

  std::size_t n_rows() const { return begin.size() - 1; }
  std::size_t n_elements() const { return begin.back(); }
  // Replaces what was there; the memory is kept.
  void assign(MatrixView<const T> dense);
};

// Below this share of nonzeros the square of a sparse matrix is faster from one nonzero to the next than as a dense
// product.
inline constexpr double kSparseSquareShare = 0.125;

// Whether a product that leaves the zeros of `left` out is faster than the dense one; a guess from some of its rows.
template <class T>
bool is_sparse(MatrixView<const T> left);

// out += or -= left * right, where left may have many zeros. The bits are those of the dense product: the terms left
// out are zero.
template <class T>
void multiply_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, SparseRows<T>& work,
                     MatrixView<T> out);

}  // namespace dualdict
