// SPDX-License-Identifier: BSD-3-Clause
// A mode of encoding as a small object: one block of preprocessed samples in, their codes out.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "dualdict/encode.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "linalg/sparse_product.h"
#include "model/modes/debias.h"
#include "model/modes/exact_codes.h"

namespace dualdict {

// EncodeOptions with every default filled in.
struct ModeSettings {
  EncodeMode mode = EncodeMode::kSparse;
  std::size_t refine_steps = 0;
  double tau = 0;
  double eta = 0;
  double tau_shift = 0;  // the thresholds of the fitted encoder move by tau_slope times this
  double gap = 1e-6;
  bool debias = false;
};
// The settings of a mode with the model's own weights.
ModeSettings default_settings(const ModelParts& parts, EncodeMode mode);

// One for each thread that encodes.
template <class T>
struct EncodeWorkspace {
  Matrix<T> samples;      // kBlockSamples x d
  Matrix<T> codes;        // kBlockSamples x K; only when the caller's precision is another
  Matrix<T> scratch;      // kBlockSamples x K: the sparse code, or W x
  Matrix<T> moved;        // kBlockSamples x K: the code before its threshold
  UsedColumns used;       // of codes that are multiplied
  std::vector<T> levels;  // |x| in units of the mean norm
  ExactWorkspace<T> exact;
  DebiasWorkspace debias;
};

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

// Throws Error(kInput) when the model has no tensors for the mode.
template <class T>
std::unique_ptr<BlockEncoder<T>> make_block_encoder(const ModelParts& parts, const ModeSettings& settings);

}  // namespace dualdict
