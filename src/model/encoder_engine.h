// SPDX-License-Identifier: BSD-3-Clause
// Runs a mode over batches: preprocessing, precision, blocks, threads.
#pragma once

#include <cstddef>
#include <memory>

#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/modes/block_encoder.h"

namespace dualdict {

// Works in the precision of the model, whatever the caller's. encode() may be called from many threads at once: each
// call takes its workspaces from a guarded store. The threads of the engine serve one call at a time; a call that
// finds them taken works alone, in its own thread.
class EncoderEngine {
 public:
  virtual ~EncoderEngine() = default;
  virtual void encode(MatrixView<const float> samples, MatrixView<float> codes) const = 0;
  virtual void encode(MatrixView<const double> samples, MatrixView<double> codes) const = 0;
};

std::unique_ptr<EncoderEngine> make_engine(const Model& model, const ModeSettings& settings, std::size_t n_threads);

}  // namespace dualdict
