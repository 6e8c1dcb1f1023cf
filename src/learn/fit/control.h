// SPDX-License-Identifier: BSD-3-Clause
// How the caller watches and steers a fit, and how ranks agree on it: the clock, the wish to end, records, messages.
#pragma once

#include <string>

#include "core/clock.h"
#include "core/interrupt.h"
#include "dualdict/learn.h"
#include "learn/samples/shared_pass.h"

namespace dualdict {

// After an interrupt an iteration may take this long to end, so that its work is kept.
inline constexpr double kPatienceSeconds = 3;

class Control {
 public:
  // All outlive it.
  Control(const LearnOptions& options, const LearnContext& context, Ranks& ranks)
      : options_(options),
        hooks_(context.hooks),
        ranks_(ranks),
        interrupt_(hooks_.interrupt, context.checkpoint.path.empty() ? 0 : kPatienceSeconds) {}

  Ranks& ranks() const { return ranks_; }
  const LearnOptions& options() const { return options_; }
  // Hears the caller's wish, at once or with the patience that a checkpoint asks for.
  const Interrupt& interrupt() const { return interrupt_; }
  // Hears it at once.
  Interrupt impatient(double patience = 0) const { return Interrupt(hooks_.interrupt, patience); }

  // Since the start, earlier runs included. With several ranks that of rank 0 at the last sum, so that all decide
  // alike.
  double seconds() const { return ranks_.alone() ? own_seconds() : agreed_.seconds; }
  double own_seconds() const { return earlier_seconds_ + clock_.seconds(); }
  void go_on_from(double seconds) { agreed_.seconds = earlier_seconds_ = seconds; }
  // The caller wishes to end and keep the work; known to all ranks.
  bool should_pause() const { return ranks_.alone() ? interrupt_.is_requested() : agreed_.interrupt; }
  bool is_late() const { return options_.time_limit > 0 && seconds() >= options_.time_limit; }

  // Tells the callback of an iteration; true when it, on some rank, wishes to stop: with several ranks as wished before
  // the last sum, since the others have not heard of today's wish yet.
  bool report(const IterationRecord& record);
  bool is_watched() const { return static_cast<bool>(hooks_.on_iteration); }
  void say(const std::string& message) const {
    if (hooks_.on_message) hooks_.on_message(message);
  }

  // Makes the sums of a pass those of all ranks, and agrees on everything else in the same message.
  void agree(const Matrix<double>& dictionary, const Matrix<double>& dual, PassReport& pass, Moments& moments);

 private:
  const LearnOptions& options_;
  const LearnHooks& hooks_;
  Ranks& ranks_;
  Interrupt interrupt_;
  Stopwatch clock_;
  double earlier_seconds_ = 0;
  Wishes mine_;    // to be told at the next sum
  Wishes agreed_;  // at the last sum
};

}  // namespace dualdict
