// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/hard_fit.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/random.h"
#include "linalg/vectors.h"
#include "model/fit/start_greedy.h"

namespace dualdict {
namespace {

constexpr double kRate = 1e-2;
constexpr std::size_t kWarmUp = 50;
constexpr std::size_t kRaceSteps = 80;
constexpr std::size_t kMostSteps = 900;  // before the rate falls
// The same for many atoms: passes over the samples, since more fit what is theirs alone, and steps times atoms.
constexpr double kWideRate = 3e-3;
constexpr std::size_t kWidePasses = 8, kFewestWideSteps = 100, kMostWideSteps = 540, kWideWork = kMostWideSteps * 4096;
constexpr std::size_t kCheckEvery = 50;
constexpr std::size_t kStallChecks = 2;  // the error must fall by kStall within so many
constexpr double kStall = 0.003;
constexpr double kFalling = 0.4;  // share of all steps in which the rate falls to zero
constexpr std::size_t kMostHeldOut = 4000, kFewestJudges = 500;
constexpr std::size_t kJudgedResponses = std::size_t{1} << 23;
constexpr std::size_t kHeldOutShare = 5;
constexpr std::size_t kFewestHeldOut = 20;

constexpr std::size_t kStepsAtOnce = 5;
constexpr std::uint64_t kSplitStream = 100, kRaceStream = 105, kTrainStream = 106;  // of random numbers

struct Split {
  HardRows learn;
  Matrix<float> judge;
};

// A fifth of the rows, at most kMostHeldOut, is held out; all judge where they are few.
template <class T>
Split split_rows(MatrixView<const T> samples, std::type_identity_t<MatrixView<const T>> held_out,
                 const Standard& standard, std::uint64_t seed, ThreadPool& pool) {
  const HardRows all = standard_rows(samples, standard);
  const std::size_t n = std::min(all.n / kHeldOutShare, kMostHeldOut);
  if (!held_out.empty()) {
    const HardRows given = standard_rows(held_out, standard);
    std::vector<std::size_t> some(std::min(held_out.rows, kMostHeldOut));
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = i * held_out.rows / some.size();
    return {all, read_all(chosen_rows(given, some), pool)};
  }
  if (n < kFewestHeldOut) return {all, read_all(all, pool)};
  std::vector<std::size_t> order = Random(seed, kSplitStream).permutation(all.n);
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(n);
  std::vector<std::size_t> judged(order.begin(), cut), learned(cut, order.end());
  return {chosen_rows(all, std::move(learned)), read_all(chosen_rows(all, std::move(judged)), pool)};
}

double warm(double rate, std::size_t step) {
  return rate * std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(kWarmUp));
}

// After so many at a constant rate.
std::size_t falling_steps(std::size_t n_constant) {
  return static_cast<std::size_t>(static_cast<double>(n_constant) * kFalling / (1 - kFalling));
}

HardEncoder in_given_coordinates(const HardState& state, const Standard& standard) {
  HardEncoder encoder;
  const double by = standard.scale > 0 ? 1 / standard.scale : 0;
  encoder.weights = convert<double>(state.weights);
  encoder.decoder = convert<double>(state.decoder);
  encoder.positive = state.positive;
  encoder.threshold = static_cast<double>(state.threshold) * by;
  for (std::size_t k = 0; k < state.n_atoms(); ++k)  // W (x - mean) + b
    encoder.bias.push_back(static_cast<double>(state.bias[k]) * by -
                           dot(encoder.weights.row(k), standard.mean.data(), state.n_features()));
  for (std::size_t f = 0; f < state.n_features(); ++f)
    encoder.offset.push_back(static_cast<double>(state.offset[f]) * by + standard.mean[f]);
  return encoder;
}

}  // namespace

template <class T>
HardFit<T>::HardFit(MatrixView<const T> samples, MatrixView<const T> held_out, const HardFitOptions& options,
                    ThreadPool& pool)
    : options_(options), pool_(pool), standard_(standard_of(samples)) {
  Split split = split_rows(samples, held_out, standard_, options.seed, pool);
  rows_ = std::move(split.learn);
  const std::size_t n_judges = std::max(kJudgedResponses / options.n_atoms, kFewestJudges);
  if (options.from_dictionary && split.judge.rows() > n_judges)
    split.judge = convert<float>(split.judge.view().row_range(0, n_judges));
  judge_.emplace(std::move(split.judge), options.nonzeros);
}

template <class T>
typename HardFit<T>::Course HardFit<T>::course() const {
  if (!options_.from_dictionary) return {kRate, kMostSteps, true};
  const std::size_t wanted = std::min(kWideWork / options_.n_atoms, kWidePasses * rows_.n / kTrainingBlock);
  return {kWideRate, std::clamp(wanted, kFewestWideSteps, kMostWideSteps), false};
}

template <class T>
void HardFit<T>::advance(HardFitState& state) {
  switch (state.phase) {
    case HardPhase::kPrincipal:
      return find_principal(state);
    case HardPhase::kRotate:
      return rotate(state);
    case HardPhase::kRegress:
      return regress(state);
    case HardPhase::kRaceOrthonormal:
    case HardPhase::kRaceGreedy:
      return race(state);
    case HardPhase::kTrain:
      return train(state);
    case HardPhase::kFall:
      return fall(state);
    case HardPhase::kDone:
      return;
  }
}

// Keeps the encoder with the smallest error on the held-out samples.
template <class T>
void HardFit<T>::offer(HardFitState& state, HardState encoder, double& error) {
  error = judge_->measure(encoder, pool_);
  if (state.best.n_atoms() > 0 && !(error < state.best_error)) return;
  state.best = std::move(encoder);
  state.best_error = error;
}

template <class T>
void HardFit<T>::find_principal(HardFitState& state) {
  state.orthonormal = start_principal(rows_, options_.n_atoms, options_.positive, options_.seed, pool_);
  offer(state, state.orthonormal, state.principal_error);
  state.phase = options_.positive || options_.from_dictionary ? HardPhase::kRegress : HardPhase::kRotate;
}

template <class T>
void HardFit<T>::rotate(HardFitState& state) {
  if (!rotation_) rotation_.emplace(rows_, options_.nonzeros, options_.seed, pool_);
  if (rotation_->step(state.rotation, state.orthonormal)) return;
  rotation_.reset();
  state.rotation = {};
  double error = 0;
  offer(state, state.orthonormal, error);
  state.phase = HardPhase::kRegress;
}

template <class T>
void HardFit<T>::regress(HardFitState& state) {
  if (options_.dictionary != nullptr) {
    state.greedy =
        start_from_dictionary(rows_, *options_.dictionary, options_.nonzeros, options_.positive, options_.seed, pool_);
    double error = 0;
    offer(state, state.greedy, error);
  }
  state.start_error = state.best_error;
  if (options_.from_dictionary) {
    begin_training(state, HardPhase::kTrain, state.greedy);
    state.from_greedy = true;
    state.orthonormal = state.greedy = {};
    return;
  }
  begin_training(state, options_.dictionary != nullptr ? HardPhase::kRaceOrthonormal : HardPhase::kTrain,
                 state.orthonormal);
}

template <class T>
void HardFit<T>::begin_training(HardFitState& state, HardPhase phase, const HardState& start) {
  training_.reset();
  state.training = HardTrainingState(start);
  state.phase = phase;
  state.step = 0;
}

// Up to the next number of steps at which something is looked at.
template <class T>
void HardFit<T>::train_some(HardFitState& state) {
  const bool racing = state.phase == HardPhase::kRaceOrthonormal || state.phase == HardPhase::kRaceGreedy;
  if (!training_)
    training_.emplace(rows_, state.training,
                      HardTrainingOptions{options_.nonzeros, options_.seed, racing ? kRaceStream : kTrainStream},
                      pool_);
  const Course how = course();
  const std::size_t n_falling = falling_steps(state.training.n_steps - state.step);
  for (std::size_t i = 0; i < kStepsAtOnce; ++i) {
    const bool falls = state.phase == HardPhase::kFall;
    if (falls && state.step == n_falling) return;
    training_->step(falls ? how.rate * (1 - static_cast<double>(state.step) / static_cast<double>(n_falling))
                          : warm(how.rate, state.step),
                    how.moves_offset);
    ++state.step;
  }
}

template <class T>
void HardFit<T>::race(HardFitState& state) {
  train_some(state);
  if (state.step < kRaceSteps) return;
  HardState end = state.training.encoder;
  const double error = judge_->measure(end, pool_);
  if (state.phase == HardPhase::kRaceOrthonormal) {
    state.race_error = error;
    return begin_training(state, HardPhase::kRaceGreedy, state.greedy);
  }
  state.from_greedy = error < state.race_error;
  begin_training(state, HardPhase::kTrain, state.from_greedy ? state.greedy : state.orthonormal);
  state.orthonormal = state.greedy = {};
}

template <class T>
void HardFit<T>::train(HardFitState& state) {
  train_some(state);
  if (state.step % kCheckEvery != 0) return;
  double error = 0;
  offer(state, state.training.encoder, error);
  std::vector<double>& errors = state.errors;
  errors.push_back(error);
  if (state.step >= 2 * kWarmUp + kStallChecks * kCheckEvery)
    state.stalled = !(error < (1 - kStall) * errors[errors.size() - 1 - kStallChecks]);
  if (!state.stalled && state.step < course().most_steps) return;
  state.phase = HardPhase::kFall;
  state.step = 0;
}

template <class T>
void HardFit<T>::fall(HardFitState& state) {
  train_some(state);
  if (state.step < falling_steps(state.training.n_steps - state.step)) return;
  double error = 0;
  offer(state, state.training.encoder, error);
  training_.reset();
  state.training = {};
  state.phase = HardPhase::kDone;
}

template <class T>
HardEncoder HardFit<T>::encoder(const HardFitState& state) const {
  return in_given_coordinates(state.best, standard_);
}

template <class T>
HardEncoder fit_hard(MatrixView<const T> samples, MatrixView<const T> held_out, const HardFitOptions& options,
                     ThreadPool& pool, HardFitState& state) {
  HardFit<T> fit(samples, held_out, options, pool);
  while (state.phase != HardPhase::kDone) fit.advance(state);
  return fit.encoder(state);
}

template <class T>
HardEncoder fit_principal(MatrixView<const T> samples, const HardFitOptions& options, ThreadPool& pool) {
  const Standard standard = standard_of(samples);
  const Split split = split_rows(samples, {}, standard, options.seed, pool);
  HardState state = start_principal(split.learn, options.n_atoms, options.positive, options.seed, pool);
  HardJudge(split.judge, options.nonzeros).measure(state, pool);
  return in_given_coordinates(state, standard);
}

#define DUALDICT_INSTANTIATE(T)                                                                                  \
  template class HardFit<T>;                                                                                     \
  template HardEncoder fit_hard<T>(MatrixView<const T>, MatrixView<const T>, const HardFitOptions&, ThreadPool&, \
                                   HardFitState&);                                                               \
  template HardEncoder fit_principal<T>(MatrixView<const T>, const HardFitOptions&, ThreadPool&);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
