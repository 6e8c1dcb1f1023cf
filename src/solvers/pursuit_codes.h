// SPDX-License-Identifier: BSD-3-Clause
// Orthogonal matching pursuit on the Gram matrix, for a block of samples: Batch-OMP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dualdict/matrix.h"
#include "solvers/greedy_codes.h"

namespace dualdict {

template <class T>
struct PursuitWorkspace {
  Matrix<T> linear;       // V'(x - b), rows padded
  AlignedVector<T> rest;  // V'(x - b - V u), padded
  // With L P L' the Gram matrix of the chosen atoms, in the order in which they were chosen:
  Matrix<T> directions;              // row n: V' times what chosen atom n has beyond those before it, padded
  Matrix<T> factor;                  // row n: the first n elements of row n of L, padded
  std::vector<T> along;              // of each direction, the multiple that is in the sample
  std::vector<T> pivot;              // P, the squared lengths of what they have beyond
  std::vector<std::uint32_t> order;  // 0, 1, 2, ...
  std::vector<std::uint32_t> chosen;
  void reserve(std::size_t n_atoms, std::size_t n_nonzeros);
};

// x: n x d with n <= kBlockSamples; u: n x K. `n_nonzeros` atoms for every sample, fewer where K or d is smaller, where
// nothing is left of a sample or where the next atom depends on those before it. The problem must not be positive.
template <class T>
void pursuit_codes(const GreedyProblem<T>& problem, MatrixView<const T> x, std::size_t n_nonzeros,
                   PursuitWorkspace<T>& work, MatrixView<T> u);

}  // namespace dualdict
