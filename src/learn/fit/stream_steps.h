// SPDX-License-Identifier: BSD-3-Clause
// Steps with samples that come once: of a stream, of blocks. They are those of the warm-up, and what only a stream
// needs: some samples are kept, unused atoms are looked for, C moves when that pays. With penalty l0 the first samples
// are only kept, as many as there is room for; the hard encoder and the first D are learned from these, in small pieces
// of work, before the next samples are taken.
#pragma once

#include <memory>

#include "learn/fit/l0_learning.h"
#include "learn/fit/step.h"

namespace dualdict {

template <class T>
class StreamSteps {
 public:
  // All outlive it.
  StreamSteps(Control& control, ThreadPool& pool);
  ~StreamSteps();

  // One step with a piece; its samples join those that are kept, unless they were seen in an earlier pass. Penalty l0
  // makes them less its offset.
  void step(FitState& state, Samples<T>& piece);
  // Whether there is work on the kept samples to be done before the next piece; a small part of it.
  bool is_busy(const FitState& state) const;
  void work(FitState& state);
  // There are no more samples. True where these were waited for: is_busy() from now on.
  bool end_collecting(FitState& state);
  // What comes before every pass but the first, and when a later one goes on.
  void begin_pass(FitState& state);
  // At the end of a pass C follows its sums.
  void end_pass(FitState& state);
  // Of the last step; true when the callback wishes to end.
  bool wishes_stop() const { return stop_; }

 private:
  struct Kept;
  void start(FitState& state, const Samples<T>& piece);
  StepPlan plan(const FitState& state, const Samples<T>& piece) const;
  LearnStep take(FitState& state, const Samples<T>& piece, const StepPlan& plan);
  // With many atoms and penalty l0: every rank the same, with the samples of all.
  void learn_many(FitState& state, const Samples<T>& piece, const StepPlan& plan);
  void schedule(FitState& state, const StepPlan& plan) const;
  void report(const FitState& state, const LearnStep& step);

  Control& control_;
  ThreadPool& pool_;
  Stepper<T> stepper_;
  CodeStore<T> codes_;
  std::unique_ptr<Kept> kept_;
  bool stop_ = false;
};

// The state before the first sample. Samples of more than kWholeSpectrum features would need the sums of all pairs of
// them for the steps of C: unless the caller asks for these with an eta, C is fitted at the end to the samples kept.
template <class T>
FitState stream_state(const LearnOptions& options, std::size_t n_features);
bool sums_pairs(const LearnOptions& options, std::size_t n_features);

// How many samples are kept of a stream, at most: more where W is learned from them.
std::size_t kept_limit(std::size_t n_features, Penalty penalty);

}  // namespace dualdict
