// SPDX-License-Identifier: BSD-3-Clause
// Where a fit with penalty l0 stands, beyond what every fit has: D starts from a hard encoder that is learned on some
// samples in memory, all of them or those that a stream has kept.
#pragma once

#include <cstddef>
#include <vector>

#include "model/fit/hard_fit.h"
#include "model/fit/wide_dictionary.h"
#include "solvers/greedy_coder.h"
#include "solvers/objective.h"

namespace dualdict {

enum class L0Phase {
  kCollect,  // samples, of a stream
  kSamples,  // D steps with the penalty l1, from samples as atoms: the start G of the hard encoder, and one of D; of
             // many atoms all of D, with greedy codes
  kHard,     // W, b and V are learned together
  kPasses,   // D steps at greedy codes, from V with codes from hard ones or from the D of l1, whichever is better; not
             // of many atoms
  kDone,     // the same, on whatever samples come
};

// Many atoms: D is learned without K x K numbers, for the rounds that code with it (greedy_coder.h).
inline bool has_many_atoms(const Objective& objective) {
  return objective.penalty == Penalty::kL0 &&
         codes_by_rounds(objective.n_atoms, objective.n_features, objective.positive_codes);
}

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
  // Of many atoms: where D stands, in the coordinates of samples times the scale.
  WideDictionaryState wide;
  double scale = 0;
  bool stalled = false;  // the held-out error of hard codes fell no more when their training ended
};

}  // namespace dualdict
