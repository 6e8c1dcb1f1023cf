// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/in_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dualdict/error.h"
#include "learn/fit/atoms.h"
#include "learn/fit/start.h"
#include "linalg/vectors.h"

namespace dualdict {

void require_finite_energy(double energy, std::size_t step) {
  if (!std::isfinite(energy))
    throw Error(ErrorKind::kNumerical,
                "E is not finite after iteration " + std::to_string(step) + "; use --dtype float64, or scale the data");
}

template <class T>
InMemory<T>::InMemory(Samples<T>& samples, CodeStore<T>& codes, Control& control, ThreadPool& pool)
    : samples_(samples),
      codes_(codes),
      control_(control),
      pool_(pool),
      stepper_(control, pool, control.interrupt()),
      fading_(samples.n_all()) {
  if (control.options().penalty == Penalty::kL0) l0_.emplace(samples, codes, control, pool);
}

template <class T>
bool InMemory<T>::prepare(FitState& state) {
  state.moments.squared_samples = samples_.squared;
  if (state.objective.eta == 0) return true;
  Interrupt interrupt = control_.impatient();
  control_.set_end(interrupt, control_.kept_back());
  control_.progress().begin("preparing the steps of C");
  try {
    sum_second_moments(samples_, pool_, interrupt, state.moments);
    stepper_.prepare_dual(state.moments, interrupt);
  } catch (const Interrupted&) {
    if (interrupt.is_requested()) throw;
    return false;
  }
  return true;
}

template <class T>
void InMemory<T>::begin(FitState& state, bool prepared) {
  control_.progress().begin("choosing the start");
  if (l0_) {
    l0_->begin(state);
    return state.rule.restart(0);  // until the first iteration over all
  }
  Interrupt interrupt = control_.impatient();
  control_.set_end(interrupt, control_.kept_back());
  control_.say(
      start_fit(state, control_.options(), samples_, StartFrom::kAllSamples, {pool_, interrupt, control_.progress()}));
  if (!prepared) return;
  state.energy = stepper_.energy(state).total();
  state.rule.restart(state.energy);
}

template <class T>
bool InMemory<T>::advance(FitState& state, LearnSummary& summary) {
  if (l0_ && !l0_->is_over(state)) {
    l0_->advance(state);
    return true;
  }
  if (l0_) l0_->settle_origin(state);
  if (!std::exchange(planned_, true)) plan_warm_up(state);
  if (schedule_.step_samples == 0 || state.fading.finished) return iterate(state, summary);
  warm_up_step(state);
  if (warm_up_goes_on(state)) return true;
  state.fading.finished = true;
  state.extrapolation.restart(kWeightAfterWarmUp);
  return true;
}

template <class T>
void InMemory<T>::plan_warm_up(const FitState& state) {
  const LearnOptions& options = control_.options();
  // The paper's algorithm has none.
  if (options.solver == Solver::kFista || options.accurate_steps || options.keep_dictionary || l0_) return;
  schedule_ = warm_up_schedule(samples_.n_all(), options.n_atoms);
  if (schedule_.step_samples == 0 || state.fading.finished) return;
  control_.say("warming up: D and C move after every " + std::to_string(schedule_.step_samples) + " of " +
               std::to_string(samples_.n_all()) + " samples");
}

template <class T>
void InMemory<T>::warm_up_step(FitState& state) {
  FadingPosition& fade = state.fading;
  fade.began = true;
  const std::size_t n_all = samples_.n_all();
  const std::size_t n_steps = (n_all + schedule_.step_samples - 1) / schedule_.step_samples;
  const std::size_t first = fade.step % n_steps * schedule_.step_samples;
  const SampleRange range{first, std::min(schedule_.step_samples, n_all - first)};
  if (fade.round_step == 0)
    control_.progress().begin(
        "warming up, round " + std::to_string(fade.round + 1) + " of at most " + std::to_string(kWarmUpRounds),
        samples_.n_first(std::min(n_all, schedule_.round_steps * schedule_.step_samples)), "samples");
  StepPlan plan;
  plan.visit = fade.n_seen < n_all ? Visit::kFirst : Visit::kAgain;
  plan.measure = fade.round_step % kEnergyEvery == 0 ? Measure::kCodes : Measure::kNothing;
  const LearnStep report = stepper_.step(state, {samples_, codes_, range}, fading_, plan);
  fade.add(report.pass, plan.measure == Measure::kCodes ? state.energy : 0.0);
}

template <class T>
bool InMemory<T>::warm_up_goes_on(FitState& state) {
  FadingPosition& fade = state.fading;
  const auto n = static_cast<double>(fade.round_step);
  const bool round_done = fade.round_step >= schedule_.round_steps;
  if (!round_done && !(state.tau.search && fade.round_step * schedule_.step_samples >= kTauSamples)) return true;
  const double energy = fade.round_energy / std::ceil(n / static_cast<double>(kEnergyEvery));
  const bool tau_moved = stepper_.follow_nonzeros(state, fade.round_nonzeros / n);
  if (!round_done && !tau_moved) return true;
  const bool fell = energy < (1 - kWarmUpChange) * fade.last_energy;
  fade.last_energy = tau_moved ? std::numeric_limits<double>::max() : energy;
  fade.begin_round();
  if (round_done) ++fade.round;
  return fade.round < kWarmUpRounds && (fell || tau_moved);
}

template <class T>
bool InMemory<T>::iterate(FitState& state, LearnSummary& summary) {
  const Matrix<double> old_dictionary = state.dictionary;
  const Matrix<double> old_dual = state.dual;
  const double old_energy = state.energy;
  const bool first = state.iterations.empty();
  const LearnOptions& options = control_.options();
  IterationRecord record = step(state, options.solver == Solver::kFast && !options.accurate_steps && !l0_);
  if (!first && record.replaced_atoms == 0 && record.energy.total() > old_energy && record.extrapolated)
    record = retreat(state);
  if (record.replaced_atoms > 0) state.extrapolation.restart();
  record.iteration = state.iterations.size() + 1;
  record.tau_moved = !first && record.tau != state.iterations.back().tau;
  record.dictionary_change = relative_change(state.dictionary, old_dictionary);
  record.dual_change = relative_change(state.dual, old_dual);
  // What the warm-up estimated is no energy of all samples: the history begins with the first that is.
  if (first && state.fading.began) state.rule.restart(record.energy_after_codes);
  record.relative_change = state.rule.advance(record.energy.total());
  record.seconds = control_.seconds();
  state.iterations.push_back(record);
  return should_continue(state, record, summary);
}

template <class T>
IterationRecord InMemory<T>::retreat(FitState& state) {
  state.dictionary = state.extrapolation.dictionary();
  state.dual = state.extrapolation.dual();
  state.extrapolation.restart();
  // Exact codes cannot be worse for these D and C than the codes were that they were made with.
  const bool accurate = std::exchange(state.accurate, true);
  IterationRecord record = step(state, false);
  state.accurate = accurate;
  record.accurate = record.accurate && accurate;
  return record;
}

template <class T>
IterationRecord InMemory<T>::step(FitState& state, bool lead) {
  const LearnOptions& options = control_.options();
  const SampleRange range = l0_ ? l0_->learned(state) : SampleRange{0, samples_.n_all()};
  IterationRecord record;
  record.tau = state.objective.tau;
  if (lead) {
    record.extrapolated = state.extrapolation.lead(state.dictionary, state.dual);
    round_rows_to_ball<T>(state.dictionary);
    round_rows_to_ball<T>(state.dual);
    if (!state.objective.atoms.is_ball()) state.objective.atoms.project(state.dictionary);
  }
  record.energy_before_codes = stepper_.energy(state).total();
  StepPlan plan;
  plan.accurate = state.accurate;
  plan.replace_unused = options.replace_below > 0 && !options.keep_dictionary;
  plan.measure = Measure::kAll;
  control_.progress().begin("iteration " + std::to_string(state.iterations.size() + 1), samples_.n_samples(),
                            "samples");
  const LearnStep report = stepper_.step(state, {samples_, codes_, range}, whole_, plan);
  record.dead_atoms = count_dead(state.atoms.usage);
  record.nonzeros_per_code = static_cast<double>(report.pass.codes.nonzeros) / static_cast<double>(range.count);
  record.energy_after_codes = report.energy_after_codes;
  record.energy_after_dictionary = report.energy_after_dictionary;
  record.energy = report.energy;
  record.replaced_atoms = report.replaced_atoms;
  const double scale = record.energy_after_codes > 0 ? record.energy_after_codes : 1.0;
  record.duality_gap = report.pass.codes.gap / scale;
  const bool exact_codes = report.pass.codes.unfinished == 0 || record.duality_gap <= 0.01 * options.rtol;
  record.accurate = state.accurate && exact_codes && report.step_gap <= step_tolerance(options, scale);
  return record;
}

template <class T>
bool InMemory<T>::should_continue(FitState& state, const IterationRecord& record, LearnSummary& summary) {
  const LearnOptions& options = control_.options();
  require_finite_energy(record.energy.total(), record.iteration);
  const bool wants_stop = control_.report(record);
  const bool zero_samples = samples_.squared == 0;
  if (l0_ && trivial_l0(record, summary)) return false;
  if (!l0_ && (!state.tau.search || zero_samples) && trivial(record, state.tau.max, zero_samples, summary))
    return false;
  if (wants_stop) {
    summary.outcome = Outcome::kStopped;
    summary.message = "stopped by the caller after iteration " + std::to_string(record.iteration);
    return false;
  }
  if (stepper_.follow_nonzeros(state, record.nonzeros_per_code)) {
    state.rule.restart(state.energy);
    return true;
  }
  if (converged(state.rule, record, summary, options.penalty)) return false;
  // Cheap steps must not fake convergence: from here on they are accurate.
  if (state.rule.is_near(record.relative_change)) state.accurate = true;
  return true;
}

template class InMemory<float>;
template class InMemory<double>;

}  // namespace dualdict
