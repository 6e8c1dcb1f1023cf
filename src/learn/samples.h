// SPDX-License-Identifier: BSD-3-Clause
// The training samples in memory, preprocessed, in random order, with the sums over them that never change. In random
// order the first n of them are a fair draw: learning starts on such a beginning and works its way to all.
#pragma once

#include <cstddef>
#include <string>

#include "core/random.h"
#include "core/thread_pool.h"
#include "dualdict/data.h"
#include "dualdict/matrix.h"
#include "dualdict/preprocess.h"
#include "learn/interrupt.h"
#include "solvers/code_step.h"

namespace dualdict {

template <class T>
struct Samples {
  Matrix<T> x;           // N x d
  Matrix<double> xx;     // d x d: sum of x x', in double whatever T
  double squared = 0;    // sum of |x|^2
  double mean_norm = 0;  // mean of |x|
  std::string fingerprint;

  std::size_t n_samples() const { return x.rows(); }
  std::size_t n_features() const { return x.cols(); }
  std::size_t n_blocks() const { return blocks_for(x.rows()); }
  // Blocks that hold the first n samples.
  static std::size_t blocks_for(std::size_t n) { return (n + kBlockSamples - 1) / kBlockSamples; }
  std::size_t block_size(std::size_t block) const { return std::min(kBlockSamples, x.rows() - block * kBlockSamples); }
  MatrixView<const T> block(std::size_t block) const {
    return x.view().row_range(block * kBlockSamples, block_size(block));
  }
};

// Reads all samples, refuses NaN and Inf (Error(kInput), with count and first position), preprocesses, shuffles, sums.
template <class T>
Samples<T> load_samples(const DataSource& data, const Transform& transform, Random random, ThreadPool& pool,
                        const Interrupt& interrupt);

// Reads `count` samples from `first` on and preprocesses them.
template <class T>
Matrix<T> read_samples(const DataSource& data, const Transform& transform, std::size_t first, std::size_t count);

}  // namespace dualdict
