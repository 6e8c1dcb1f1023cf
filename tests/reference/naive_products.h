// SPDX-License-Identifier: BSD-3-Clause
// Matrix products as the textbook has them.
#pragma once

#include <cstddef>

#include "dualdict/matrix.h"

namespace dualdict {

// a b, over the first `depth` terms of every sum.
template <class T>
Matrix<double> naive_product(const Matrix<T>& a, const Matrix<T>& b, std::size_t depth) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < b.cols(); ++j)
      for (std::size_t k = 0; k < depth; ++k) c(i, j) += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
  return c;
}
inline Matrix<double> naive_product(const Matrix<double>& a, const Matrix<double>& b) {
  return naive_product<double>(a, b, a.cols());
}

template <class T>
Matrix<T> naive_transpose(const Matrix<T>& a) {
  Matrix<T> t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

}  // namespace dualdict
