// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/random.h"
#include "dualdict/matrix.h"
#include "linalg/vectors.h"

namespace dualdict {

// Normal numbers.
template <class T>
Matrix<T> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<T> m(rows, cols);
  for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<T>(random.normal());
  return m;
}

// Whole numbers -3 .. 3: sums of their products are exact in float.
template <class T>
Matrix<T> whole_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<T> m(rows, cols);
  for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<T>(random.index(7)) - T{3};
  return m;
}

// Rows of length 1, with float32 numbers, so that both precisions see the same problem.
inline Matrix<double> random_unit_rows(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<double> m = random_matrix<double>(rows, cols, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    const double length = norm(m.row(i), cols) * (1 + 1e-6);
    for (std::size_t j = 0; j < cols; ++j) m(i, j) = static_cast<double>(static_cast<float>(m(i, j) / length));
  }
  return m;
}

}  // namespace dualdict
