// SPDX-License-Identifier: BSD-3-Clause
// Where a fit with penalty l0 stands, beyond what every fit has: D starts from a hard encoder that is learned on some
// samples in memory, all of them or those that a stream has kept.
#pragma once

#include <cstddef>
#include <vector>

#include "model/fit/hard_fit.h"

namespace dualdict {

enum class L0Phase {
  kCollect,  // samples, of a stream
  kSamples,  // D steps with the penalty l1, from samples as atoms: the start G of the hard encoder, and one of D
  kHard,     // W, b and V are learned together
  kPasses,   // D steps at greedy codes, from V with codes from hard ones or from the D of l1, whichever is better
  kDone,     // the same, on whatever samples come
};

struct L0State {
  L0Phase phase = L0Phase::kCollect;
  std::size_t step = 0;        // of D, done in this phase
  std::size_t n_held_out = 0;  // of the samples in memory the first: nothing is learned from them
  std::vector<double> mean;    // of the samples in memory, which are less it until there is an offset
  HardFitState hard;
  // The hard encoder for samples less the offset; C is its W.
  std::vector<double> offset;
  std::vector<double> bias;
  Matrix<double> decoder;      // V
  double start_threshold = 0;  // of the hard codes that greedy ones start from
};

}  // namespace dualdict
