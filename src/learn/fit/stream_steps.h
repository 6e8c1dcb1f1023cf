// SPDX-License-Identifier: BSD-3-Clause
// Steps with samples that come once: of a stream, of blocks. They are those of the warm-up, and what only a stream
// needs: some samples are kept, unused atoms are looked for, C moves when that pays.
#pragma once

#include "learn/fit/step.h"

namespace dualdict {

template <class T>
class StreamSteps {
 public:
  // All outlive it.
  StreamSteps(Control& control, ThreadPool& pool);

  // One step with a piece; its samples join those that are kept, unless they were seen in an earlier pass.
  void step(FitState& state, const Samples<T>& piece);
  // What comes before every pass but the first, and when a later one goes on.
  void begin_pass(FitState& state);
  // At the end of a pass C follows its sums.
  void end_pass(FitState& state);
  // Of the last step; true when the callback wishes to end.
  bool wishes_stop() const { return stop_; }

 private:
  void start(FitState& state, const Samples<T>& piece);
  StepPlan plan(const FitState& state, const Samples<T>& piece) const;
  LearnStep take(FitState& state, const Samples<T>& piece, const StepPlan& plan);
  void schedule(FitState& state, const StepPlan& plan) const;
  void report(const FitState& state, const LearnStep& step);

  Control& control_;
  ThreadPool& pool_;
  Stepper<T> stepper_;
  CodeStore<T> codes_;
  bool stop_ = false;
};

// The state before the first sample. Samples of more than kWholeSpectrum features would need the sums of all pairs of
// them for the steps of C: unless the caller asks for these with an eta, C is fitted at the end to the samples kept.
template <class T>
FitState stream_state(const LearnOptions& options, std::size_t n_features);
bool sums_pairs(const LearnOptions& options, std::size_t n_features);

// How many samples are kept of a stream, at most.
std::size_t kept_limit(std::size_t n_features);

}  // namespace dualdict
