// SPDX-License-Identifier: BSD-3-Clause
// How the caller watches and steers a fit, and how ranks agree on it: the clock, the wish to end, records, messages.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "core/clock.h"
#include "core/interrupt.h"
#include "dualdict/learn.h"
#include "learn/fit/time_need.h"
#include "learn/samples/shared_pass.h"

namespace dualdict {

// After an interrupt an iteration may take this long to end, so that its work is kept.
inline constexpr double kPatienceSeconds = 2;

// What is under way when the time limit is over may take this long to end; what is not ready then is left out.
inline constexpr double kGraceSeconds = 1.5;

class Control {
 public:
  // All outlive it.
  Control(const LearnOptions& options, const LearnContext& context, Ranks& ranks)
      : options_(options),
        hooks_(context.hooks),
        ranks_(ranks),
        interrupt_(hooks_.interrupt, context.checkpoint.path.empty() ? 0 : kPatienceSeconds) {
    set_end(interrupt_, 0);
  }

  Ranks& ranks() const { return ranks_; }
  const LearnOptions& options() const { return options_; }
  // Hears the caller's wish, at once or with the patience that a checkpoint asks for, and the end of the time limit.
  const Interrupt& interrupt() const { return interrupt_; }
  // Hears the wish at once, or with some patience.
  Interrupt impatient(double patience = 0) const { return Interrupt(hooks_.interrupt, patience); }
  // Makes an interrupt hear the time limit too, so many seconds before or (below zero) after it, but not before the
  // first kGraceSeconds: what is small is always made. Only of one process: ranks end together, between two steps.
  void set_end(Interrupt& interrupt, double seconds_before) const {
    if (options_.time_limit <= 0 || !ranks_.alone()) return;
    const double end = std::max(options_.time_limit - seconds_before, earlier_seconds_ + kGraceSeconds);
    const std::chrono::duration<double> left(std::min(end - own_seconds(), kLongest));
    interrupt.end_at(Interrupt::Clock::now() + std::chrono::duration_cast<Interrupt::Clock::duration>(left));
  }

  // Since the start, earlier runs included. With several ranks that of rank 0 at the last sum, so that all decide
  // alike.
  double seconds() const { return ranks_.alone() ? own_seconds() : agreed_.seconds; }
  double own_seconds() const { return earlier_seconds_ + clock_.seconds(); }
  void go_on_from(double seconds) {
    agreed_.seconds = earlier_seconds_ = seconds;
    set_end(interrupt_, kept_back_);
  }
  // The caller wishes to end and keep the work; known to all ranks.
  bool should_pause() const { return ranks_.alone() ? interrupt_.is_requested() : agreed_.interrupt; }
  bool is_late() const { return options_.time_limit > 0 && seconds() >= options_.time_limit - kept_back_; }
  // So much of the time limit is kept for what comes after learning; 0 without a limit. All ranks keep the same.
  double kept_back() const { return kept_back_; }
  void keep_back(const EndSize& size);
  // Of the limit; as much as one likes where there is none.
  double seconds_left() const {
    return options_.time_limit > 0 ? options_.time_limit - seconds() : std::numeric_limits<double>::infinity();
  }

  // Tells the callback of an iteration; true when it, on some rank, wishes to stop: with several ranks as wished before
  // the last sum, since the others have not heard of today's wish yet.
  bool report(const IterationRecord& record);
  bool is_watched() const { return static_cast<bool>(hooks_.on_iteration); }
  void say(const std::string& message) const {
    if (hooks_.on_message) hooks_.on_message(message);
  }
  // What is being done now, for whoever watches.
  LearnProgress& progress() { return hooks_.progress != nullptr ? *hooks_.progress : unwatched_; }

  // Makes the sums of a pass those of all ranks, and agrees on everything else in the same message.
  void agree(const Matrix<double>& dictionary, const Matrix<double>& dual, PassReport& pass, Moments& moments);

  // Between sums: agrees on the clock and on wishes alone.
  void agree();

 private:
  static constexpr double kLongest = 1e9;  // seconds that a clock can count

  const LearnOptions& options_;
  const LearnHooks& hooks_;
  Ranks& ranks_;
  Interrupt interrupt_;
  Stopwatch clock_;
  double earlier_seconds_ = 0;
  double kept_back_ = 0;
  LearnProgress unwatched_;
  Wishes mine_;    // to be told at the next sum
  Wishes agreed_;  // at the last sum
};

}  // namespace dualdict
