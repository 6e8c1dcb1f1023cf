// SPDX-License-Identifier: BSD-3-Clause
// How long a fit will still take.
#pragma once

#include <optional>
#include <span>

#include "dualdict/options.h"
#include "dualdict/summary.h"

namespace dualdict::cli {

// The logarithm of the relative change, extrapolated along its least-squares line over the last iterations to rtol,
// times the mean time of those iterations; never more than max_iterations and the time limit leave. Nothing before
// three iterations.
std::optional<double> expected_seconds_left(std::span<const IterationRecord> last, const LearnOptions& options);

}  // namespace dualdict::cli
