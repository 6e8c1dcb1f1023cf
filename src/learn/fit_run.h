// SPDX-License-Identifier: BSD-3-Clause
// The one loop of learning.
#pragma once

#include <functional>

#include "learn/fit/control.h"
#include "learn/fit/source.h"
#include "learn/saved/checkpoint.h"

namespace dualdict {

// Steps until the source has ended, a limit is reached or the caller wishes so; `write` writes the checkpoint, now and
// then and at the end of a limit, to go on with a higher one. The summary says how it ended.
void run_fit(FitState& state, FitSource& source, Control& control, Checkpoint& checkpoint,
             const std::function<void()>& write, LearnSummary& summary);

}  // namespace dualdict
