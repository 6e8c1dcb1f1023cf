// SPDX-License-Identifier: BSD-3-Clause
// Greedy codes by whichever way the size of D asks for: moves on the Gram matrix, or, of many atoms, rounds, which need
// no K x K numbers and end in least squares.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "solvers/greedy_codes.h"
#include "solvers/rounds_codes.h"

namespace dualdict {

// Beyond a thousand atoms a Gram matrix leaves the second cache; rounds are then better codes for little more time.
// Moves keep codes positive on their way, so that positive ones stay with them as long as G can be kept.
inline bool codes_by_rounds(std::size_t n_atoms, std::size_t n_features, bool positive) {
  constexpr std::size_t kMostOnGram = 1024, kMostPositiveOnGram = 4096;
  return n_features <= kMostScreenFeatures && n_atoms > (positive ? kMostPositiveOnGram : kMostOnGram);
}

template <class T>
struct GreedyCoderWorkspace {
  GreedyWorkspace<T> moves;
  RoundsWorkspace<T> rounds;
};

template <class T>
class GreedyCoder {
 public:
  void assign(const Matrix<double>& dictionary, std::span<const double> bias, bool positive,
              ThreadPool& pool = calling_thread());
  // x: n x d with n <= kBlockSamples; u: n x K. From zero.
  GreedyCodeReport codes(MatrixView<const T> x, double price, GreedyCoderWorkspace<T>& work, MatrixView<T> u,
                         bool measure = true) const;
  // As price_for_nonzeros of the way that is taken.
  FoundPrice price_for(MatrixView<const T> x, double nonzeros, ThreadPool& pool,
                       std::size_t most = kPriceSamples) const;
  std::size_t n_atoms() const;

 private:
  std::variant<GreedyProblem<T>, RoundsProblem<T>> problem_;
};

}  // namespace dualdict
