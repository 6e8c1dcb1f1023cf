// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit_run.h"

#include "dualdict/error.h"

namespace dualdict {

void run_fit(FitState& state, FitSource& source, Control& control, Checkpoint& checkpoint,
             const std::function<void()>& write, LearnSummary& summary) {
  const auto keep = [&] {
    if (!checkpoint.is_on()) return;
    state.seconds = control.own_seconds();
    write();
  };
  const auto limit = [&] {
    return limit_reached(control.options(), {control.seconds(), control.kept_back()}, state.iterations, summary);
  };
  try {
    while (!limit() && source.advance(state, summary)) {
      const bool stop = control.should_pause();
      if (checkpoint.is_due(control.seconds()) || stop) keep();
      if (stop) throw Interrupted{};
    }
    if (summary.outcome == Outcome::kIterationLimit || summary.outcome == Outcome::kTimeLimit) keep();
  } catch (const Interrupted&) {
    // Within an iteration, whose beginning the state still is; the time may be over, too.
    if (control.should_pause() || !limit()) {
      summary.outcome = Outcome::kInterrupted;
      summary.message = "interrupted after " + std::to_string(state.iterations.size()) + " iterations";
    }
  }
  if (state.dictionary.empty())  // before there was a start
    throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
}

}  // namespace dualdict
