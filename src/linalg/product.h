// SPDX-License-Identifier: BSD-3-Clause
// Matrix products. The right operand is packed once and used for many left operands, as the encoder does with its
// weights. Every element is one sum in the order of the inner index: its bits do not depend on the rows around it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "dualdict/matrix.h"
#include "linalg/kernels/kernels.h"

namespace dualdict {

// A left operand: a matrix or its transpose, without copying.
template <class T>
struct Left {
  const T* data;
  std::size_t rows;   // of the operand, after transposing
  std::size_t depth;  // the inner index
  std::size_t row_stride;
  std::size_t depth_stride;
};
template <class T>
Left<T> plain(MatrixView<const T> a) {
  return {a.data, a.rows, a.cols, a.stride, 1};
}
template <class T>
Left<T> transposed(MatrixView<const T> a) {
  return {a.data, a.cols, a.rows, 1, a.stride};
}

// A right operand (depth x cols) in the order in which the kernel reads it. Reusable: packing allocates only when the
// new operand is larger than any before.
template <class T>
class PackedRight {
 public:
  explicit PackedRight(const Kernels<T>& kernels = dualdict::kernels<T>()) : kernels_(&kernels) {}

  void pack(MatrixView<const T> b);             // b: depth x cols
  void pack_transposed(MatrixView<const T> b);  // b: cols x depth
  // After pack(b), when some rows of b have changed.
  void pack_rows_again(MatrixView<const T> b, std::size_t first, std::size_t count);

  std::size_t depth() const { return depth_; }
  std::size_t cols() const { return cols_; }

  // The order: chunks of kDepthChunk rows, in each the panels of columns, in each its rows. A float panel of 16 columns
  // is then 16 KiB and stays in the first cache.
  static constexpr std::size_t kDepthChunk = 256;
  const Kernels<T>& kernels() const { return *kernels_; }
  std::size_t chunk_depth(std::size_t first_row) const { return std::min(kDepthChunk, depth_ - first_row); }
  // The panel that begins with this column, in the chunk that begins with this row.
  const T* panel(std::size_t first_row, std::size_t column) const {
    const std::size_t width = kernels_->panel_width;
    const std::size_t padded = (cols_ + width - 1) / width * width;
    return panels_.data() + first_row * padded + column * chunk_depth(first_row);
  }

 private:
  template <bool kTransposed>
  void pack_from(MatrixView<const T> b);

  const Kernels<T>* kernels_;
  std::size_t depth_ = 0;
  std::size_t cols_ = 0;
  AlignedVector<T> panels_;
};

// c = a b, c += a b or c -= a b. Columns before first_column may be left as they are: half of a symmetric product.
template <class T>
void multiply(const Left<T>& a, const PackedRight<T>& b, MatrixView<T> c, Into into = Into::kSet,
              std::size_t first_column = 0);

// The same with every element shrunk as soon as its sum is complete; kSet or kAdd, and the inner index is not empty.
template <class T>
void multiply_and_shrink(const Left<T>& a, const PackedRight<T>& b, const Shrinkage<T>& shrinkage, Into into,
                         MatrixView<T> c);

// Without keeping the packed operand; for products that are made once.
template <class T>
Matrix<T> multiply(MatrixView<const T> a, MatrixView<const T> b);  // a b
template <class T>
Matrix<T> multiply_transposed(MatrixView<const T> a, MatrixView<const T> b);  // a b'
template <class T>
Matrix<T> transposed_multiply(MatrixView<const T> a, MatrixView<const T> b);  // a' b

}  // namespace dualdict
