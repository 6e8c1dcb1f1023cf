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
void PackedRight<T>::pack_rows_again(MatrixView<const T> b, std::size_t first, std::size_t count) {
  const std::size_t width = kernels_->panel_width;
  for (std::size_t k = first; k < first + count; ++k) {
    const std::size_t chunk = k / kDepthChunk * kDepthChunk;
    for (std::size_t column = 0; column < cols_; column += width) {
      const auto place = static_cast<std::size_t>(panel(chunk, column) - panels_.data()) + (k - chunk) * width;
      std::copy_n(b.row(k) + column, std::min(width, cols_ - column), panels_.data() + place);
    }
  }
}

namespace {

// What multiply and multiply_and_shrink have in common; the columns before first_column may be left as they are.
template <class T>
void multiply_from(const Left<T>& a, const PackedRight<T>& b, MatrixView<T> c, Into into, std::size_t first_column,
                   const Shrinkage<T>& shrinkage) {
  const std::size_t width = b.kernels().panel_width;
  const std::size_t tile_rows = b.kernels().tile_rows;
  const std::size_t start = first_column / width * width;
  for (std::size_t first = 0; first < b.depth(); first += PackedRight<T>::kDepthChunk) {
    // After the first chunk the sum goes on from what the target holds; after the last it is complete.
    const Into chunk_into = first > 0 && into == Into::kSet ? Into::kAdd : into;
    const bool is_last = first + b.chunk_depth(first) == b.depth();
    for (std::size_t column = start; column < b.cols(); column += width) {
      const T* panel = b.panel(first, column);
      const std::size_t used = std::min(width, b.cols() - column);
      for (std::size_t row = 0; row < a.rows; row += tile_rows) {
        b.kernels().tile({a.data + row * a.row_stride + first * a.depth_stride, a.row_stride, a.depth_stride, panel,
                          b.chunk_depth(first), c.data + row * c.stride + column, c.stride,
                          std::min(tile_rows, a.rows - row), used, chunk_into,
                          is_last ? shrinkage.from(row, column) : Shrinkage<T>{}});
      }
    }
  }
}

}  // namespace

template <class T>
void multiply(const Left<T>& a, const PackedRight<T>& b, MatrixView<T> c, Into into, std::size_t first_column) {
  if (b.depth() == 0 && into == Into::kSet)
    for (std::size_t i = 0; i < c.rows; ++i) std::fill(c.row(i), c.row(i) + c.cols, T{0});
  multiply_from(a, b, c, into, first_column, {});
}

template <class T>
void multiply_and_shrink(const Left<T>& a, const PackedRight<T>& b, const Shrinkage<T>& shrinkage, Into into,
                         MatrixView<T> c) {
  multiply_from(a, b, c, into, 0, shrinkage);
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
template void multiply_and_shrink<float>(const Left<float>&, const PackedRight<float>&, const Shrinkage<float>&, Into,
                                         MatrixView<float>);
template void multiply_and_shrink<double>(const Left<double>&, const PackedRight<double>&, const Shrinkage<double>&,
                                          Into, MatrixView<double>);
template Matrix<float> multiply<float>(MatrixView<const float>, MatrixView<const float>);
template Matrix<double> multiply<double>(MatrixView<const double>, MatrixView<const double>);
template Matrix<float> multiply_transposed<float>(MatrixView<const float>, MatrixView<const float>);
template Matrix<double> multiply_transposed<double>(MatrixView<const double>, MatrixView<const double>);
template Matrix<float> transposed_multiply<float>(MatrixView<const float>, MatrixView<const float>);
template Matrix<double> transposed_multiply<double>(MatrixView<const double>, MatrixView<const double>);

}  // namespace dualdict
