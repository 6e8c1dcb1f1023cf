// SPDX-License-Identifier: BSD-3-Clause
// When learning ends. Each test sets the outcome and a message with the numbers it compared.
#pragma once

#include <cstddef>
#include <deque>
#include <span>

#include "dualdict/options.h"
#include "dualdict/summary.h"

namespace dualdict {

// The paper's rule: (E_H - E_t) / E_H < rtol, E_H the mean of the last min(t, H) energies before E_t.
class StoppingRule {
 public:
  // `rise` is the relative rise of E that rounding can make; a larger one is never convergence.
  StoppingRule() = default;
  StoppingRule(double rtol, std::size_t history, double rise) : rtol_(rtol), history_(history), rise_(rise) {}

  // E_0 or, after a change of the objective, the energy to start again from.
  void restart(double energy);
  // Takes E_t and returns (E_H - E_t) / E_H; 0 when both are 0.
  double advance(double energy);

  // Whether a relative change is within the rule.
  bool fires(double relative_change) const;
  // Whether it is near enough that the steps must be accurate from now on.
  bool is_near(double relative_change) const;
  double rtol() const { return rtol_; }

  // The energies of the mean, oldest first: at least one, at most `history`.
  std::deque<double>& energies() { return energies_; }
  const std::deque<double>& energies() const { return energies_; }
  std::size_t history() const { return history_; }

 private:
  double rtol_ = 0;
  std::size_t history_ = 1;
  double rise_ = 0;
  std::deque<double> energies_;
};

struct SpentTime {
  double seconds = 0;
  double kept_back = 0;
};

// Sets summary.outcome and message when the limits of time or iterations are reached; `kept_back` of the limit of time
// belongs to what comes after learning.
bool limit_reached(const LearnOptions& options, const SpentTime& time, std::span<const IterationRecord> done,
                   LearnSummary& summary);
// When the stopping rule fired on accurate steps that moved neither atoms nor tau.
bool converged(const StoppingRule& rule, const IterationRecord& record, LearnSummary& summary,
               Penalty penalty = Penalty::kL1);
// When every code is zero. `tau_max` is that of the start: D and C may since have moved so that tau became too large.
bool trivial(const IterationRecord& record, double tau_max, bool zero_samples, LearnSummary& summary);
// The same with penalty l0, for which only samples that are all alike are a reason.
bool trivial_l0(const IterationRecord& record, LearnSummary& summary);

}  // namespace dualdict
