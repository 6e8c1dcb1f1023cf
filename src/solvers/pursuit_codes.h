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
  Matrix<T> linear;        // V'(x - b), rows padded
  AlignedVector<T> rest;   // V'(x - b - V u), padded
  Matrix<T> factor;        // L of the chosen atoms' Gram matrix
  std::vector<T> forward;  // L^-1 of their linear part
  std::vector<T> code;
  std::vector<std::uint32_t> chosen;
  void reserve(std::size_t n_atoms, std::size_t n_nonzeros);
};

// x: n x d with n <= kBlockSamples; u: n x K. `n_nonzeros` atoms for every sample, fewer where K or d is smaller, where
// nothing is left of a sample or where the next atom depends on those before it. The problem must not be positive.
template <class T>
void pursuit_codes(const GreedyProblem<T>& problem, MatrixView<const T> x, std::size_t n_nonzeros,
                   PursuitWorkspace<T>& work, MatrixView<T> u);

}  // namespace dualdict
