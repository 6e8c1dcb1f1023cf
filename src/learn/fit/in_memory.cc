// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/in_memory.h"

#include <algorithm>
#include <utility>

#include "learn/fit/start.h"

namespace dualdict {

template <class T>
InMemory<T>::InMemory(Samples<T>& samples, CodeStore<T>& codes, Control& control, ThreadPool& pool)
    : samples_(samples),
      codes_(codes),
      control_(control),
      pool_(pool),
      stepper_(control, pool, control.interrupt()),
      iterations_(control, stepper_, samples.n_all()),
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
  iterations_.begin(state);
}

template <class T>
bool InMemory<T>::advance(FitState& state, LearnSummary& summary) {
  if (l0_ && !l0_->is_over(state)) {
    l0_->advance(state);
    return true;
  }
  if (has_many_atoms(state.objective)) {
    tell_wide_end(state, summary);
    return false;
  }
  if (l0_) l0_->settle_origin(state);
  if (!std::exchange(planned_, true)) plan_warm_up(state);
  if (schedule_.step_samples == 0 || state.fading.finished) return iterate(state, summary);
  warm_up_step(state);
  return true;
}

template <class T>
void InMemory<T>::plan_warm_up(const FitState& state) {
  if (!iterations_.wants_warm_up()) return;
  schedule_ = warm_up_schedule(samples_.n_all(), control_.options().n_atoms);
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
  const StepPlan plan = iterations_.warm_up_plan(state);
  const LearnStep report = stepper_.step(state, {samples_, codes_, range}, fading_, plan);
  iterations_.warm_up_goes_on(state, schedule_, report, plan);
}

template <class T>
bool InMemory<T>::iterate(FitState& state, LearnSummary& summary) {
  const SampleRange range = l0_ ? l0_->learned(state) : SampleRange{0, samples_.n_all()};
  OpenIteration now = iterations_.open(state);
  LearnStep report;
  do {
    control_.progress().begin("iteration " + std::to_string(state.iterations.size() + 1), samples_.n_samples(),
                              "samples");
    report = stepper_.step(state, {samples_, codes_, range}, whole_, iterations_.plan(state));
  } while (!iterations_.close(state, now, report));
  return iterations_.should_continue(state, now, samples_.squared == 0, summary);
}

template class InMemory<float>;
template class InMemory<double>;

}  // namespace dualdict
