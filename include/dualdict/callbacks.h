// SPDX-License-Identifier: BSD-3-Clause
// How a caller watches and steers a fit. The library itself prints nothing.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "dualdict/progress.h"
#include "dualdict/summary.h"

namespace dualdict {

enum class Action { kContinue, kStop };

struct LearnHooks {
  // Called after every outer iteration, on the thread that called learn(). kStop ends the fit with Outcome::kStopped
  // (with several ranks, of which any may have the callback, one iteration later).
  std::function<Action(const IterationRecord&)> on_iteration;
  // Sentences worth telling a person: the tau that was chosen, tau_max, the effective weights, phases without records.
  std::function<void(const std::string&)> on_message;
  // Set to true (from a signal handler, say) to end with Outcome::kInterrupted within a block of samples. Encoders that
  // are not fitted 1.5 seconds later are left out of the model.
  const std::atomic<bool>* interrupt = nullptr;
  // Outlives learn(): kept up to date with what is being done and how far it is, for a thread that shows it.
  LearnProgress* progress = nullptr;
};

}  // namespace dualdict
