// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/product.h"

#include <algorithm>

namespace dualdict {
namespace {

std::size_t round_up(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

template <class T>
template <bool kTransposed>
void PackedRight<T>::pack_from(MatrixView<const T> b) {
  depth_ = kTransposed ? b.cols : b.rows;
  cols_ = kTransposed ? b.rows : b.cols;
  const std::size_t width = kernels_->panel_width;
  const std::size_t needed = depth_ * round_up(cols_, width);
  if (panels_.size() < needed) panels_.resize(needed);
  T* out = panels_.data();
  for (std::size_t first = 0; first < depth_; first += kDepthChunk) {
    const std::size_t last = std::min(depth_, first + kDepthChunk);
    for (std::size_t column = 0; column < cols_; column += width) {
      const std::size_t used = std::min(width, cols_ - column);
      for (std::size_t k = first; k < last; ++k, out += width) {
        for (std::size_t j = 0; j < used; ++j) out[j] = kTransposed ? b(column + j, k) : b(k, column + j);
        std::fill(out + used, out + width, T{0});
      }
    }
  }
}

template <class T>
void PackedRight<T>::pack(MatrixView<const T> b) {
  pack_from<false>(b);
}
template <class T>
void PackedRight<T>::pack_transposed(MatrixView<const T> b) {
  pack_from<true>(b);
}

template <class T>
void multiply(const Left<T>& a, const PackedRight<T>& b, MatrixView<T> c, Into into, std::size_t first_column) {
  const std::size_t width = b.kernels().panel_width;
  const std::size_t start = first_column / width * width;
  if (b.depth() == 0 && into == Into::kSet)
    for (std::size_t i = 0; i < c.rows; ++i) std::fill(c.row(i), c.row(i) + c.cols, T{0});
  for (std::size_t first = 0; first < b.depth(); first += PackedRight<T>::kDepthChunk) {
    // After the first chunk the sum goes on from what the target holds.
    const Into chunk_into = first > 0 && into == Into::kSet ? Into::kAdd : into;
    for (std::size_t column = start; column < b.cols(); column += width) {
      const T* panel = b.panel(first, column);
      const std::size_t used = std::min(width, b.cols() - column);
      for (std::size_t row = 0; row < a.rows; row += kTileRows) {
        b.kernels().tile({a.data + row * a.row_stride + first * a.depth_stride, a.row_stride, a.depth_stride, panel,
                          b.chunk_depth(first), c.data + row * c.stride + column, c.stride,
                          std::min(kTileRows, a.rows - row), used, chunk_into});
      }
    }
  }
}

template <class T>
Matrix<T> multiply(MatrixView<const T> a, MatrixView<const T> b) {
  PackedRight<T> right;
  right.pack(b);
  Matrix<T> c(a.rows, b.cols);
  multiply<T>(plain(a), right, c.view());
  return c;
}
template <class T>
Matrix<T> multiply_transposed(MatrixView<const T> a, MatrixView<const T> b) {
  PackedRight<T> right;
  right.pack_transposed(b);
  Matrix<T> c(a.rows, b.rows);
  multiply<T>(plain(a), right, c.view());
  return c;
}
template <class T>
Matrix<T> transposed_multiply(MatrixView<const T> a, MatrixView<const T> b) {
  PackedRight<T> right;
  right.pack(b);
  Matrix<T> c(a.cols, b.cols);
  multiply<T>(transposed(a), right, c.view());
  return c;
}

template class PackedRight<float>;
template class PackedRight<double>;
template void multiply<float>(const Left<float>&, const PackedRight<float>&, MatrixView<float>, Into, std::size_t);
template void multiply<double>(const Left<double>&, const PackedRight<double>&, MatrixView<double>, Into, std::size_t);
template Matrix<float> multiply<float>(MatrixView<const float>, MatrixView<const float>);
template Matrix<double> multiply<double>(MatrixView<const double>, MatrixView<const double>);
template Matrix<float> multiply_transposed<float>(MatrixView<const float>, MatrixView<const float>);
template Matrix<double> multiply_transposed<double>(MatrixView<const double>, MatrixView<const double>);
template Matrix<float> transposed_multiply<float>(MatrixView<const float>, MatrixView<const float>);
template Matrix<double> transposed_multiply<double>(MatrixView<const double>, MatrixView<const double>);

}  // namespace dualdict
