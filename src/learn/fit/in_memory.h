// SPDX-License-Identifier: BSD-3-Clause
// Learning from samples in memory, of this rank and others: the warm-up, then iterations over all of them.
#pragma once

#include <optional>

#include "learn/fit/iterations.h"
#include "learn/fit/l0_learning.h"
#include "learn/fit/source.h"
#include "learn/fit/step.h"
#include "learn/fit/warm_up.h"

namespace dualdict {

template <class T>
class InMemory final : public FitSource {
 public:
  // All outlive it.
  InMemory(Samples<T>& samples, CodeStore<T>& codes, Control& control, ThreadPool& pool);

  // The sums that no pass changes, for a new state as for one that goes on; false when the limit of time is over before
  // they are there.
  bool prepare(FitState& state);
  // The start; its E, too, when there are such sums.
  void begin(FitState& state, bool prepared);
  bool advance(FitState& state, LearnSummary& summary) override;

 private:
  // Says so when there is one.
  void plan_warm_up(const FitState& state);
  void warm_up_step(FitState& state);
  // One outer iteration over all samples, its record and the tests that may end the fit. Returns whether to go on.
  bool iterate(FitState& state, LearnSummary& summary);

  Samples<T>& samples_;
  CodeStore<T>& codes_;
  Control& control_;
  ThreadPool& pool_;
  Stepper<T> stepper_;
  Iterations<T> iterations_;
  std::optional<L0Learning<T>> l0_;  // with that penalty in the place of a warm-up
  WarmUpSchedule schedule_;
  bool planned_ = false;
  FadingSums fading_;
  WholeSums whole_;
};

}  // namespace dualdict
