// SPDX-License-Identifier: BSD-3-Clause
// Row-major matrices: one owning type, one view. A row is a sample, an atom, a filter or a code, so that every matrix
// has the memory order of a C-contiguous NumPy array of the same shape.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201709L
#error "dualdict needs C++20: compile with -std=c++20"
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace dualdict {

// Precision of the arithmetic and of the tensors in the model file.
enum class DType { kFloat32, kFloat64 };

// A view of `rows` x `cols` elements; row i starts at data + i * stride (stride >= cols, in elements). Owns nothing.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  MatrixView() = default;
  MatrixView(T* data_in, std::size_t rows_in, std::size_t cols_in) : MatrixView(data_in, rows_in, cols_in, cols_in) {}
  MatrixView(T* data_in, std::size_t rows_in, std::size_t cols_in, std::size_t stride_in)
      : data(data_in), rows(rows_in), cols(cols_in), stride(stride_in) {}

  // A view of mutable elements is also a view of constant ones.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>>>
  MatrixView(const MatrixView<U>& other)  // NOLINT(google-explicit-constructor)
      : MatrixView(other.data, other.rows, other.cols, other.stride) {}

  T* row(std::size_t i) const { return data + i * stride; }
  T& operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
  std::size_t size() const { return rows * cols; }
  bool empty() const { return rows == 0 || cols == 0; }

  // Rows [first, first + count).
  MatrixView row_range(std::size_t first, std::size_t count) const {
    return MatrixView(data + first * stride, count, cols, stride);
  }
};

// Allocates on 64-byte boundaries, the width of the widest vector register and of a cache line.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, kAlignment); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const noexcept {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// An owning, contiguous, zero-initialised matrix.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(rows * cols) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return data_.size(); }
  bool empty() const { return data_.empty(); }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  T* row(std::size_t i) { return data_.data() + i * cols_; }
  const T* row(std::size_t i) const { return data_.data() + i * cols_; }
  T& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }

  MatrixView<T> view() { return MatrixView<T>(data_.data(), rows_, cols_); }
  MatrixView<const T> view() const { return MatrixView<const T>(data_.data(), rows_, cols_); }
  operator MatrixView<T>() { return view(); }              // NOLINT(google-explicit-constructor)
  operator MatrixView<const T>() const { return view(); }  // NOLINT(google-explicit-constructor)

  bool operator==(const Matrix& other) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  AlignedVector<T> data_;
};

// Without NaN and infinities: their exponent is all ones. Integer arithmetic makes vectors; std::isfinite does not.
template <class T>
bool all_finite(MatrixView<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = sizeof(T) == 4 ? Bits{0x7f800000u} : static_cast<Bits>(0x7ff0000000000000ull);
  for (std::size_t i = 0; i < values.rows; ++i) {
    const T* row = values.row(i);
    Bits found = 0;
    for (std::size_t j = 0; j < values.cols; ++j)
      found |= static_cast<Bits>((std::bit_cast<Bits>(row[j]) & kExponent) == kExponent);
    if (found != 0) return false;
  }
  return true;
}

// The same numbers in another precision.
template <class To, class From>
Matrix<To> convert(MatrixView<From> from) {
  Matrix<To> to(from.rows, from.cols);
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t j = 0; j < from.cols; ++j) to(i, j) = static_cast<To>(from(i, j));
  return to;
}
template <class To, class From>
Matrix<To> convert(const Matrix<From>& from) {
  return convert<To>(from.view());
}

}  // namespace dualdict
