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
  std::vector<double> tried;    // the code so far, to measure its error
  std::vector<double> remains;  // x - b - V u
  void reserve(std::size_t n_atoms, std::size_t n_nonzeros);
};

template <class T>
struct PursuitOptions {
  std::size_t n_nonzeros = 0;  // of every sample, at most
  double max_error = 0;        // a sample has enough atoms when |x - b - D u| is no more than that; 0: it never has
  const Matrix<T>* dictionary = nullptr;  // D, to measure that; with max_error alone
};

// x: n x d with n <= kBlockSamples; u: n x K. Fewer atoms than wanted where K or d is smaller, where the error is small
// enough or nothing is left of a sample, or where the next atom depends on those before it. The problem must not be
// positive.
template <class T>
void pursuit_codes(const GreedyProblem<T>& problem, MatrixView<const T> x, const PursuitOptions<T>& options,
                   PursuitWorkspace<T>& work, MatrixView<T> u);

}  // namespace dualdict
