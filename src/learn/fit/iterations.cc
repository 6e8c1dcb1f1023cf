// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/iterations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dualdict/error.h"
#include "learn/fit/atoms.h"
#include "learn/fit/source.h"
#include "learn/fit/start.h"
#include "linalg/vectors.h"

namespace dualdict {

void require_finite_energy(double energy, std::size_t step) {
  if (!std::isfinite(energy))
    throw Error(ErrorKind::kNumerical,
                "E is not finite after iteration " + std::to_string(step) + "; use --dtype float64, or scale the data");
}

template <class T>
void Iterations<T>::begin(FitState& state) const {
  state.energy = stepper_.energy(state).total();
  state.rule.restart(state.energy);
}

template <class T>
bool Iterations<T>::wants_warm_up() const {
  const LearnOptions& options = control_.options();
  return options.solver != Solver::kFista && !options.accurate_steps && !options.keep_dictionary &&
         options.penalty == Penalty::kL1;
}

template <class T>
StepPlan Iterations<T>::warm_up_plan(const FitState& state) const {
  StepPlan plan;
  plan.visit = state.fading.n_seen < n_all_ ? Visit::kFirst : Visit::kAgain;
  plan.measure = state.fading.round_step % kEnergyEvery == 0 ? Measure::kCodes : Measure::kNothing;
  return plan;
}

template <class T>
bool Iterations<T>::warm_up_goes_on(FitState& state, const WarmUpSchedule& schedule, const LearnStep& report,
                                    const StepPlan& plan) const {
  FadingPosition& fade = state.fading;
  fade.add(report.pass, plan.measure == Measure::kCodes ? state.energy : 0.0);
  const auto n = static_cast<double>(fade.round_step);
  const bool round_done = fade.round_step >= schedule.round_steps;
  if (!round_done && !(state.tau.search && fade.round_step * schedule.step_samples >= kTauSamples)) return true;
  const double energy = fade.round_energy / std::ceil(n / static_cast<double>(kEnergyEvery));
  const bool tau_moved = stepper_.follow_nonzeros(state, fade.round_nonzeros / n);
  if (!round_done && !tau_moved) return true;
  const bool fell = energy < (1 - kWarmUpChange) * fade.last_energy;
  fade.last_energy = tau_moved ? std::numeric_limits<double>::max() : energy;
  fade.begin_round();
  if (round_done) ++fade.round;
  if (fade.round < kWarmUpRounds && (fell || tau_moved)) return true;
  fade.finished = true;
  state.extrapolation.restart(kWeightAfterWarmUp);
  return false;
}

template <class T>
void Iterations<T>::begin_record(FitState& state, bool lead, IterationRecord& record) const {
  record = {};
  record.tau = state.objective.tau;
  if (lead) {
    record.extrapolated = state.extrapolation.lead(state.dictionary, state.dual);
    round_rows_to_ball<T>(state.dictionary);
    round_rows_to_ball<T>(state.dual);
    if (!state.objective.atoms.is_ball()) state.objective.atoms.project(state.dictionary);
  }
  record.energy_before_codes = stepper_.energy(state).total();
}

template <class T>
OpenIteration Iterations<T>::open(FitState& state) const {
  const LearnOptions& options = control_.options();
  OpenIteration now;
  now.dictionary = state.dictionary;
  now.dual = state.dual;
  now.energy = state.energy;
  begin_record(state, options.solver == Solver::kFast && !options.accurate_steps && options.penalty == Penalty::kL1,
               now.record);
  return now;
}

template <class T>
StepPlan Iterations<T>::plan(const FitState& state) const {
  const LearnOptions& options = control_.options();
  StepPlan plan;
  plan.accurate = state.accurate;
  plan.replace_unused = options.replace_below > 0 && !options.keep_dictionary;
  plan.measure = Measure::kAll;
  return plan;
}

template <class T>
void Iterations<T>::fill_record(const FitState& state, const LearnStep& report, IterationRecord& record) const {
  const LearnOptions& options = control_.options();
  record.dead_atoms = count_dead(state.atoms.usage);
  record.nonzeros_per_code =
      static_cast<double>(report.pass.codes.nonzeros) / static_cast<double>(report.pass.n_samples);
  record.energy_after_codes = report.energy_after_codes;
  record.energy_after_dictionary = report.energy_after_dictionary;
  record.energy = report.energy;
  record.replaced_atoms = report.replaced_atoms;
  const double scale = record.energy_after_codes > 0 ? record.energy_after_codes : 1.0;
  record.duality_gap = report.pass.codes.gap / scale;
  const bool exact_codes = report.pass.codes.unfinished == 0 || record.duality_gap <= 0.01 * options.rtol;
  record.accurate = state.accurate && exact_codes && report.step_gap <= step_tolerance(options, scale);
}

template <class T>
bool Iterations<T>::close(FitState& state, OpenIteration& now, const LearnStep& report) const {
  IterationRecord& record = now.record;
  const bool first = state.iterations.empty();
  fill_record(state, report, record);
  if (now.retreats) {
    state.accurate = now.was_accurate;
    record.accurate = record.accurate && now.was_accurate;
  } else if (!first && record.replaced_atoms == 0 && record.energy.total() > now.energy && record.extrapolated) {
    state.dictionary = state.extrapolation.dictionary();
    state.dual = state.extrapolation.dual();
    state.extrapolation.restart();
    // Exact codes cannot be worse for these D and C than the codes were that they were made with.
    now.was_accurate = std::exchange(state.accurate, true);
    now.retreats = true;
    begin_record(state, false, record);
    return false;
  }
  if (record.replaced_atoms > 0) state.extrapolation.restart();
  record.iteration = state.iterations.size() + 1;
  record.tau_moved = !first && record.tau != state.iterations.back().tau;
  record.dictionary_change = relative_change(state.dictionary, now.dictionary);
  record.dual_change = relative_change(state.dual, now.dual);
  // What the warm-up estimated is no energy of all samples: the history begins with the first that is.
  if (first && state.fading.began) state.rule.restart(record.energy_after_codes);
  record.relative_change = state.rule.advance(record.energy.total());
  record.seconds = control_.seconds();
  state.iterations.push_back(record);
  return true;
}

template <class T>
bool Iterations<T>::should_continue(FitState& state, const OpenIteration& now, bool zero_samples,
                                    LearnSummary& summary) const {
  const IterationRecord& record = now.record;
  require_finite_energy(record.energy.total(), record.iteration);
  const bool wants_stop = control_.report(record);
  const bool l0 = control_.options().penalty == Penalty::kL0;
  if (l0 && trivial_l0(record, summary)) return false;
  if (!l0 && (!state.tau.search || zero_samples) && trivial(record, state.tau.max, zero_samples, summary)) return false;
  if (wants_stop) {
    summary.outcome = Outcome::kStopped;
    summary.message = "stopped by the caller after iteration " + std::to_string(record.iteration);
    return false;
  }
  if (stepper_.follow_nonzeros(state, record.nonzeros_per_code)) {
    state.rule.restart(state.energy);
    return true;
  }
  if (converged(state.rule, record, summary, control_.options().penalty)) return false;
  // Cheap steps must not fake convergence: from here on they are accurate.
  if (state.rule.is_near(record.relative_change)) state.accurate = true;
  return true;
}

template class Iterations<float>;
template class Iterations<double>;

}  // namespace dualdict
