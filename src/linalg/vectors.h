// SPDX-License-Identifier: BSD-3-Clause
// Sums over vectors and matrices, accumulated in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dualdict/matrix.h"
#include "linalg/kernels/kernels.h"

namespace dualdict {

// a'b in double. Four partial sums in a fixed pattern: shorter error and a shorter chain than one.
template <class A, class B>
double dot(const A* a, const B* b, std::size_t n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    s1 += static_cast<double>(a[i + 1]) * static_cast<double>(b[i + 1]);
    s2 += static_cast<double>(a[i + 2]) * static_cast<double>(b[i + 2]);
    s3 += static_cast<double>(a[i + 3]) * static_cast<double>(b[i + 3]);
  }
  for (; i < n; ++i) s0 += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return (s0 + s1) + (s2 + s3);
}
template <class T>
double squared_norm(const T* a, std::size_t n) {
  return dot(a, a, n);
}
template <class T>
double norm(const T* a, std::size_t n) {
  return std::sqrt(squared_norm(a, n));
}
template <class T>
double sum_abs(const T* a, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::abs(static_cast<double>(a[i]));
  return sum;
}
template <class T>
std::size_t count_nonzeros(const T* a, std::size_t n) {
  return kernels<T>().count_nonzeros(a, n);
}

// <a, b>, row by row.
template <class A, class B>
double inner_product(const Matrix<A>& a, const Matrix<B>& b) {
  return dot(a.data(), b.data(), a.size());
}
template <class T>
double squared_norm(const Matrix<T>& a) {
  return squared_norm(a.data(), a.size());
}

// |a - b| / |b|, or |a| when b is zero.
template <class T>
double relative_change(const Matrix<T>& a, const Matrix<T>& b) {
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double delta = static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]);
    difference += delta * delta;
  }
  const double reference = squared_norm(b);
  return std::sqrt(reference > 0 ? difference / reference : difference);
}

// S_t(z): z moved towards zero by t, zero within t of it; never negative when `positive`.
template <class T>
T soft_threshold(T z, T t, bool positive = false) {
  if (z > t) return z - t;
  if (!positive && z < -t) return z + t;
  return T{0};
}

template <class To, class From>
Matrix<To> transpose(MatrixView<From> a) {
  Matrix<To> t(a.cols, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) t(j, i) = static_cast<To>(a(i, j));
  return t;
}

}  // namespace dualdict
