// SPDX-License-Identifier: BSD-3-Clause
// Weights of an encoder made ready to multiply samples.
#pragma once

#include <algorithm>
#include <cstddef>

#include "dualdict/matrix.h"
#include "linalg/product.h"
#include "linalg/vectors.h"

namespace dualdict {

template <class T>
PackedRight<T> packed_transposed(const Matrix<double>& weights) {
  PackedRight<T> packed;
  packed.pack_transposed(convert<T>(weights).view());
  return packed;
}

// The largest sum of |weights| in a row: how much larger than the largest element of x an element of W x can be.
inline double largest_row_sum(const Matrix<double>& weights) {
  double largest = 0;
  for (std::size_t j = 0; j < weights.rows(); ++j) largest = std::max(largest, sum_abs(weights.row(j), weights.cols()));
  return largest;
}

}  // namespace dualdict
