// SPDX-License-Identifier: BSD-3-Clause
// What a fit goes through: samples in memory, a stream.
#pragma once

#include "learn/fit/state.h"

namespace dualdict {

class FitSource {
 public:
  virtual ~FitSource() = default;
  // The next step and the tests that may end the fit: false when it has ended, as the summary says. What it leaves in
  // the state is what a checkpoint keeps.
  virtual bool advance(FitState& state, LearnSummary& summary) = 0;
};

// E is no number any more: throws Error(kNumerical).
void require_finite_energy(double energy, std::size_t step);

}  // namespace dualdict
