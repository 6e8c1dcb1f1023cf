// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "learn/learner.h"

namespace dualdict {
namespace {

// The sums of codes: now <- old_share old + new_share now.
void blend(double old_share, const Moments& old, double new_share, Moments& now) {
  const auto mix = [=](double before, double& value) { value = old_share * before + new_share * value; };
  for (std::size_t i = 0; i < now.uu.size(); ++i) mix(old.uu.data()[i], now.uu.data()[i]);
  for (std::size_t i = 0; i < now.ux.size(); ++i) mix(old.ux.data()[i], now.ux.data()[i]);
  mix(old.sum_abs_codes, now.sum_abs_codes);
}

}  // namespace

template <class T>
void Learner<T>::warm_up() {
  // The paper's algorithm has none.
  if (options_.solver == Solver::kFista || options_.accurate_steps || warm_up_.finished) return;
  const WarmUpSchedule schedule = warm_up_schedule(samples_.n_all(), options_.n_atoms);
  if (schedule.step_samples > 0 && !options_.keep_dictionary) {
    say("warming up: D and C move after every " + std::to_string(schedule.step_samples) + " of " +
        std::to_string(samples_.n_all()) + " samples");
    warmed_up_ = true;
    faded_.uu = moments_.uu;
    faded_.ux = moments_.ux;
    do {
      if (options_.time_limit > 0 && seconds() >= options_.time_limit) return;
      warm_up_step(schedule);
      if (!warm_up_goes_on(schedule)) break;
      pause();
    } while (true);
  }
  extrapolation_.restart(warmed_up_ ? kWeightAfterWarmUp : 1);
  warm_up_.finished = true;
}

template <class T>
void Learner<T>::warm_up_step(const WarmUpSchedule& schedule) {
  problem_.assign(objective_, dictionary_, dual_, pool_);
  const std::size_t n_all = samples_.n_all();
  const std::size_t n_steps = (n_all + schedule.step_samples - 1) / schedule.step_samples;
  const std::size_t first = warm_up_.step % n_steps * schedule.step_samples;
  const std::size_t n = std::min(schedule.step_samples, n_all - first);
  // The pass makes its sums anew.
  std::swap(faded_.uu, moments_.uu);
  std::swap(faded_.ux, moments_.ux);
  faded_.sum_abs_codes = moments_.sum_abs_codes;
  CodeOptions options = code_options();
  if (warm_up_.n_seen < n_all) options.max_sweeps = std::min(options.max_sweeps, kFirstSweeps);
  const PassReport pass = code({first, n}, options, *pass_);
  if (warm_up_.round_step % kEnergyEvery == 0) {
    energy_ = energy_of_step(pass.codes.squared_samples);
    warm_up_.round_energy += energy_;
  }
  const double nonzeros = static_cast<double>(pass.codes.nonzeros) / static_cast<double>(n);
  const double share = fading(warm_up_.n_seen, n, {nonzeros / objective_.k(), nonzeros / objective_.d()});
  const double kept = share * warm_up_.weight;
  const double weight = kept + static_cast<double>(n);
  blend(kept / weight, faded_, static_cast<double>(n_all) / weight, moments_);
  if (pass.codes.nonzeros > 0) {
    update_dictionary(energy_);
    if (objective_.eta > 0) update_dual(energy_);
  }
  ++warm_up_.step;
  ++warm_up_.round_step;
  warm_up_.n_seen += n;
  warm_up_.weight = weight;
  warm_up_.round_nonzeros += nonzeros;
}

template <class T>
double Learner<T>::energy_of_step(double squared) {
  const double factor = squared > 0 ? samples_.squared / squared : 1.0;
  scale_moments(factor);
  const double energy = energy_from_moments(objective_, moments_, dictionary_, dual_, pool_).total();
  scale_moments(1 / factor);
  return energy;
}

template <class T>
bool Learner<T>::warm_up_goes_on(const WarmUpSchedule& schedule) {
  constexpr std::size_t kTauSamples = 16384;  // a search for tau need not wait for a whole round
  const auto n = static_cast<double>(warm_up_.round_step);
  const bool round_done = warm_up_.round_step >= schedule.round_steps;
  if (!round_done && !(tau_search_ && warm_up_.round_step * schedule.step_samples >= kTauSamples)) return true;
  const double energy = warm_up_.round_energy / std::ceil(n / static_cast<double>(kEnergyEvery));
  const bool tau_moved = move_tau(warm_up_.round_nonzeros / n);
  if (!round_done && !tau_moved) return true;
  const bool fell = energy < (1 - kWarmUpChange) * warm_up_.last_energy;
  warm_up_.last_energy = tau_moved ? std::numeric_limits<double>::max() : energy;
  warm_up_.round_step = 0;
  warm_up_.round_energy = 0;
  warm_up_.round_nonzeros = 0;
  if (round_done) ++warm_up_.round;
  return warm_up_.round < kWarmUpRounds && (fell || tau_moved);
}

#define DUALDICT_INSTANTIATE(T)                                  \
  template void Learner<T>::warm_up();                           \
  template void Learner<T>::warm_up_step(const WarmUpSchedule&); \
  template double Learner<T>::energy_of_step(double);            \
  template bool Learner<T>::warm_up_goes_on(const WarmUpSchedule&);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
