// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/stopping.h"

#include <cmath>
#include <numeric>
#include <sstream>

namespace dualdict {

void StoppingRule::restart(double energy) {
  energies_.clear();
  energies_.push_back(energy);
}

double StoppingRule::advance(double energy) {
  const double mean = std::accumulate(energies_.begin(), energies_.end(), 0.0) / static_cast<double>(energies_.size());
  energies_.push_back(energy);
  if (energies_.size() > history_) energies_.pop_front();
  return mean > 0 ? (mean - energy) / mean : 0.0;
}

bool StoppingRule::fires(double relative_change) const {
  return relative_change >= -rise_ && relative_change < rtol_;
}

bool StoppingRule::is_near(double relative_change) const {
  constexpr double kFactor = 2;
  return std::abs(relative_change) < kFactor * rtol_;
}

bool limit_reached(const LearnOptions& options, const SpentTime& time, std::span<const IterationRecord> done,
                   LearnSummary& summary) {
  std::ostringstream message;
  if (done.size() >= options.max_iterations) {
    summary.outcome = Outcome::kIterationLimit;
    message << "stopped after " << done.size() << " iterations, the limit, before the relative change of E ("
            << (done.empty() ? 0.0 : done.back().relative_change) << ") fell below rtol (" << options.rtol << ")";
  } else if (options.time_limit > 0 && time.seconds >= options.time_limit - time.kept_back) {
    summary.outcome = Outcome::kTimeLimit;
    message << "learning stopped after " << time.seconds << " s, the limit is " << options.time_limit << " s";
    if (time.kept_back > 0) message << ", of which " << time.kept_back << " s are kept for the encoders";
  } else {
    return false;
  }
  summary.message = message.str();
  return true;
}

bool converged(const StoppingRule& rule, const IterationRecord& record, LearnSummary& summary, Penalty penalty) {
  if (!record.accurate || record.replaced_atoms > 0 || !rule.fires(record.relative_change)) return false;
  std::ostringstream message;
  message << "the relative change of E (" << record.relative_change << ") is below rtol (" << rule.rtol() << ")";
  if (penalty == Penalty::kL0)
    message << "; every move of a code and of D lowered it";
  else
    message << ", with a relative duality gap of the codes of at most " << record.duality_gap;
  summary.outcome = Outcome::kConverged;
  summary.message = message.str();
  return true;
}

bool trivial(const IterationRecord& record, double tau_max, bool zero_samples, LearnSummary& summary) {
  if (record.nonzeros_per_code > 0) return false;
  std::ostringstream message;
  if (zero_samples) {
    summary.outcome = Outcome::kConverged;
    message << "every sample is zero: so are the codes and E";
  } else {
    summary.outcome = Outcome::kTrivial;
    message << "every code is zero: tau (" << record.tau << ") is ";
    if (record.tau < tau_max)
      message << "below the tau_max of the start (" << tau_max
              << "), but codes and filters shrank together; take a smaller --eta or --tau, or --nonzeros";
    else
      message << "not below tau_max (" << tau_max << "); take a smaller --tau, or --nonzeros";
  }
  summary.message = message.str();
  return true;
}

bool trivial_l0(const IterationRecord& record, LearnSummary& summary) {
  if (record.nonzeros_per_code > 0) return false;
  summary.outcome = Outcome::kTrivial;
  summary.message = "every code is zero: the samples are all alike";
  return true;
}

}  // namespace dualdict
