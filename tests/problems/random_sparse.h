// SPDX-License-Identifier: BSD-3-Clause
// A matrix with many zeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/random.h"
#include "problems/random_matrix.h"

namespace dualdict {

// Random elements, all but about `share` of them zero.
template <class T>
Matrix<T> random_sparse(std::size_t rows, std::size_t cols, double share, std::uint64_t seed) {
  Matrix<T> result = random_matrix<T>(rows, cols, seed);
  Random random(seed, 1);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (random.uniform() > share) result.data()[i] = T{0};
  return result;
}

}  // namespace dualdict
