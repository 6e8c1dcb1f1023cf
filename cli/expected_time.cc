// SPDX-License-Identifier: BSD-3-Clause
#include "expected_time.h"

#include <algorithm>
#include <cmath>

namespace dualdict::cli {
namespace {

// Iterations until the line through (iteration, log change) reaches log rtol; infinite when it does not fall.
double iterations_to_rtol(std::span<const IterationRecord> last, double rtol) {
  double n = 0, sum_t = 0, sum_y = 0, sum_tt = 0, sum_ty = 0;
  for (const IterationRecord& record : last) {
    // A replaced atom or the search for tau can make E rise: such a change says nothing about the rate.
    if (!(record.relative_change > 0)) continue;
    const double t = static_cast<double>(record.iteration) - static_cast<double>(last.back().iteration);
    const double y = std::log(record.relative_change);
    n += 1, sum_t += t, sum_y += y, sum_tt += t * t, sum_ty += t * y;
  }
  const double spread = n * sum_tt - sum_t * sum_t;
  if (n < 2 || !(spread > 0) || !(rtol > 0)) return HUGE_VAL;
  const double slope = (n * sum_ty - sum_t * sum_y) / spread;
  const double now = (sum_y - slope * sum_t) / n;
  if (now <= std::log(rtol)) return 1;
  return slope < 0 ? std::ceil((std::log(rtol) - now) / slope) : HUGE_VAL;
}

}  // namespace

std::optional<double> expected_seconds_left(std::span<const IterationRecord> last, const LearnOptions& options) {
  if (last.size() < 3) return std::nullopt;
  const IterationRecord& now = last.back();
  const double allowed = static_cast<double>(options.max_iterations) - static_cast<double>(now.iteration);
  const double iterations = std::clamp(iterations_to_rtol(last, options.rtol), 0.0, std::max(allowed, 0.0));
  const double per_iteration = (now.seconds - last.front().seconds) / static_cast<double>(last.size() - 1);
  double seconds = iterations * std::max(per_iteration, 0.0);
  if (options.time_limit > 0) seconds = std::min(seconds, std::max(options.time_limit - now.seconds, 0.0));
  return seconds;
}

}  // namespace dualdict::cli
