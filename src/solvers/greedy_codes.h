// SPDX-License-Identifier: BSD-3-Clause
// Greedy codes: for a block of samples, low values of
//
//   |x - b - D u|^2 + price |u|_0
//
// by moves of one coefficient at a time, the one that gains most first, on the Gram matrix. The price is one for all
// samples: a sample gets as many nonzeros as it is worth. Every move lowers the cost, so it ends; the code of a sample
// depends on that sample alone.
//
// For a mode of encoding: assign() once, greedy_codes() on rows of preprocessed samples, one workspace a thread. What
// the model keeps is D, b and the price (price_for_nonzeros finds it on samples that D has not seen); least squares on
// the support afterwards is Debias.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/product.h"
#include "solvers/price_search.h"

namespace dualdict {

// What greedy codes need of D and b, shared by all samples. Inside, atoms have unit norm: codes are scaled back.
template <class T>
struct GreedyProblem {
  std::size_t n_features = 0;
  std::size_t n_atoms = 0;
  bool positive = false;
  PackedRight<T> atoms;      // V', d x K, V the atoms at unit norm; an atom of norm zero is never used
  Matrix<T> gram;            // V'V, rows padded with zeros as the kernels want it
  std::vector<T> norm;       // of the atoms of D
  std::vector<T> inverse;    // 1 / norm, or 0
  std::vector<double> bias;  // b, or empty
  AlignedVector<T> offset;   // V'b, padded; empty without b

  // Rebuilds everything for a new D (K x d), reusing the memory. An empty bias is zero.
  void assign(const Matrix<double>& dictionary, std::span<const double> bias, bool positive,
              ThreadPool& pool = calling_thread());
};

// V'(x - b) for the rows of x.
template <class T>
void linear_part(const GreedyProblem<T>& problem, MatrixView<const T> x, MatrixView<T> linear);

struct GreedyOptions {
  double price = 0;         // in the units of |x|^2
  double tolerance = 0.05;  // moves that gain more than this times the price are made
  std::size_t max_nonzeros = std::numeric_limits<std::size_t>::max();  // of a sample
  bool from_zero = true;  // false: from the codes in u, whose cost is not exceeded
  bool measure = true;    // errors and cost; without, coding is a little faster
};

// Sums over the block's samples.
struct GreedyCodeReport {
  double squared_error = 0;    // |x - b - D u|^2
  double squared_samples = 0;  // |x - b|^2
  double cost = 0;             // squared_error + price nonzeros
  double gain = 0;             // how far the moves took the cost down, as they counted it
  std::size_t nonzeros = 0;
  std::size_t moves = 0;
  std::size_t unfinished = 0;  // codes that ran into the bound on moves
  void add(const GreedyCodeReport& other);
};

template <class T>
struct GreedyWorkspace {
  Matrix<T> linear;           // V'(x - b), rows padded
  AlignedVector<T> code;      // the one that is worked on, padded
  AlignedVector<T> residual;  // V'(x - b - V u)
  std::vector<std::uint32_t> columns;
  std::vector<T> values;
  std::vector<double> error;  // of each code, |x - b - D u|^2, when measured
  void reserve(std::size_t n_atoms);
};

// x: n x d with n <= kBlockSamples; u: n x K.
template <class T>
GreedyCodeReport greedy_codes(const GreedyProblem<T>& problem, MatrixView<const T> x, const GreedyOptions& options,
                              GreedyWorkspace<T>& work, MatrixView<T> u);

// The price with which codes from zero have `nonzeros` nonzeros on average, on up to `most` of the samples,
// which should be ones that D was not learned from: on those that it was, the same price gives fewer. Where no price
// gives so many, one that gives nearly all that can be had.
inline constexpr std::size_t kPriceSamples = 1000;
template <class T>
FoundPrice price_for_nonzeros(const GreedyProblem<T>& problem, MatrixView<const T> x, double nonzeros,
                              const GreedyOptions& options, ThreadPool& pool, std::size_t most = kPriceSamples);

}  // namespace dualdict
