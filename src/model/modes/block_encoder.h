// SPDX-License-Identifier: BSD-3-Clause
// A mode of encoding at work: one block of preprocessed samples in, their codes out.
#pragma once

#include <any>
#include <cstddef>
#include <limits>
#include <vector>

#include "dualdict/matrix.h"
#include "linalg/sparse_product.h"
#include "model/modes/debias.h"
#include "solvers/code_step.h"

namespace dualdict {

// One for each thread that encodes.
template <class T>
struct EncodeWorkspace {
  Matrix<T> samples;      // kBlockSamples x d
  Matrix<T> codes;        // kBlockSamples x K; only when the codes do not go straight to the caller
  Matrix<T> decoded;      // kBlockSamples x d; only to score
  Matrix<T> scratch;      // kBlockSamples x K: a code or product on the way
  Matrix<T> moved;        // kBlockSamples x K: the code before its threshold
  UsedColumns used;       // of codes that are multiplied
  std::vector<T> levels;  // |x| in units of the mean norm
  DebiasWorkspace debias;

  // What the mode alone needs, made when it first asks.
  template <class Work>
  Work& own() {
    Work* work = std::any_cast<Work>(&own_);
    return work != nullptr ? *work : own_.emplace<Work>();
  }

 private:
  std::any own_;
};

// A buffer of a workspace as rows x cols; it grows to a block when it is first used.
template <class T>
MatrixView<T> buffer_rows(Matrix<T>& buffer, std::size_t rows, std::size_t cols) {
  if (buffer.cols() != cols) buffer = Matrix<T>(kBlockSamples, cols);
  return buffer.view().row_range(0, rows);
}

// Immutable. The code of a row depends on that row alone.
template <class T>
class BlockEncoder {
 public:
  virtual ~BlockEncoder() = default;
  // x: at most kBlockSamples x d, preprocessed; u: as many codes.
  virtual void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const = 0;
  // No number on the way from a sample to its code is larger than this times the largest element of the sample;
  // infinite where no such bound is known.
  virtual double largest_gain() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace dualdict
