// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/hard_fit.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/random.h"
#include "linalg/vectors.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"
#include "model/fit/hard_training.h"
#include "model/fit/start_greedy.h"
#include "model/fit/start_orthonormal.h"

namespace dualdict {
namespace {

constexpr double kRate = 1e-2;
constexpr std::size_t kWarmUp = 50;
constexpr std::size_t kRaceSteps = 80;
constexpr std::size_t kMostSteps = 900;  // before the rate falls
constexpr std::size_t kCheckEvery = 50;
constexpr std::size_t kStallChecks = 2;  // the error must fall by kStall within so many
constexpr double kStall = 0.003;
constexpr double kFalling = 0.4;  // share of all steps in which the rate falls to zero
constexpr std::size_t kMostHeldOut = 4000;
constexpr std::size_t kHeldOutShare = 5;
constexpr std::size_t kFewestHeldOut = 20;

enum Stream : std::uint64_t { kSplit = 100, kPrincipal, kRotate, kSamples, kRegress, kRace, kTrain };

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
  std::vector<std::size_t> order = Random(seed, kSplit).permutation(all.n);
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(n);
  std::vector<std::size_t> judged(order.begin(), cut), learned(cut, order.end());
  return {chosen_rows(all, std::move(learned)), read_all(chosen_rows(all, std::move(judged)), pool)};
}

// Keeps the state with the smallest error on the held-out samples.
class Best {
 public:
  Best(HardJudge& judge, ThreadPool& pool) : judge_(judge), pool_(pool) {}
  double offer(HardState state) {
    const double error = judge_.measure(state, pool_);
    if (!has_state_ || error < error_) {
      state_ = std::move(state);
      error_ = error;
      has_state_ = true;
    }
    return error;
  }
  double error() const { return error_; }
  const HardState& state() const { return state_; }

 private:
  HardJudge& judge_;
  ThreadPool& pool_;
  HardState state_;
  double error_ = 0;
  bool has_state_ = false;
};

double warm(std::size_t step) {
  return kRate * std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(kWarmUp));
}

double error_after_race(const HardRows& rows, const HardState& start, const HardFitOptions& options, HardJudge& judge,
                        ThreadPool& pool) {
  HardTraining training(rows, start, options.nonzeros, Random(options.seed, kRace), pool);
  for (std::size_t step = 0; step < kRaceSteps; ++step) training.step(warm(step));
  HardState state = training.state();
  return judge.measure(state, pool);
}

// At a constant rate until the held-out error stalls, then with a falling one.
void train(const HardRows& rows, const HardState& start, const HardFitOptions& options, HardJudge& judge, Best& best,
           ThreadPool& pool, HardFitReport& report) {
  HardTraining training(rows, start, options.nonzeros, Random(options.seed, kTrain), pool);
  std::vector<double> errors;
  while (training.n_steps() < kMostSteps) {
    training.step(warm(training.n_steps()));
    if (training.n_steps() % kCheckEvery != 0) continue;
    HardState state = training.state();
    errors.push_back(judge.measure(state, pool));
    if (training.n_steps() < 2 * kWarmUp + kStallChecks * kCheckEvery) continue;
    report.stalled = !(errors.back() < (1 - kStall) * errors[errors.size() - 1 - kStallChecks]);
    if (report.stalled) break;
  }
  const auto n_falling = static_cast<std::size_t>(static_cast<double>(training.n_steps()) * kFalling / (1 - kFalling));
  for (std::size_t step = 0; step < n_falling; ++step)
    training.step(kRate * (1 - static_cast<double>(step) / static_cast<double>(n_falling)));
  best.offer(training.state());
  report.n_steps = training.n_steps();
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
HardEncoder fit_hard(MatrixView<const T> samples, MatrixView<const T> held_out, const HardFitOptions& options,
                     ThreadPool& pool, HardFitReport& report) {
  const Standard standard = standard_of(samples);
  const Split split = split_rows(samples, held_out, standard, options.seed, pool);
  HardJudge judge(split.judge, options.nonzeros);
  Best best(judge, pool);
  const HardState principal =
      start_principal(split.learn, options.n_atoms, options.positive, Random(options.seed, kPrincipal), pool);
  report.principal_error = best.offer(principal);
  HardState orthonormal = principal;
  if (!options.positive)
    rotate_orthonormal(split.learn, options.nonzeros, Random(options.seed, kRotate), pool, orthonormal);
  best.offer(orthonormal);
  const Matrix<double> dictionary =
      options.dictionary != nullptr
          ? *options.dictionary
          : greedy_dictionary_from_samples(split.learn, options.n_atoms, options.nonzeros, options.positive,
                                           Random(options.seed, kSamples), pool);
  const HardState greedy = start_from_dictionary(split.learn, dictionary, options.nonzeros, options.positive,
                                                 Random(options.seed, kRegress), pool);
  best.offer(greedy);
  report.start_error = best.error();
  const double orthonormal_error = error_after_race(split.learn, orthonormal, options, judge, pool);
  const double greedy_error = error_after_race(split.learn, greedy, options, judge, pool);
  const bool is_greedy = greedy_error < orthonormal_error;
  report.start = is_greedy ? "greedy" : "orthonormal";
  train(split.learn, is_greedy ? greedy : orthonormal, options, judge, best, pool, report);
  report.error = best.error();
  report.nonzeros = options.nonzeros;
  return in_given_coordinates(best.state(), standard);
}

template <class T>
HardEncoder fit_principal(MatrixView<const T> samples, const HardFitOptions& options, ThreadPool& pool) {
  const Standard standard = standard_of(samples);
  const Split split = split_rows(samples, {}, standard, options.seed, pool);
  HardState state =
      start_principal(split.learn, options.n_atoms, options.positive, Random(options.seed, kPrincipal), pool);
  HardJudge(split.judge, options.nonzeros).measure(state, pool);
  return in_given_coordinates(state, standard);
}

template HardEncoder fit_hard<float>(MatrixView<const float>, MatrixView<const float>, const HardFitOptions&,
                                     ThreadPool&, HardFitReport&);
template HardEncoder fit_hard<double>(MatrixView<const double>, MatrixView<const double>, const HardFitOptions&,
                                      ThreadPool&, HardFitReport&);
template HardEncoder fit_principal<float>(MatrixView<const float>, const HardFitOptions&, ThreadPool&);
template HardEncoder fit_principal<double>(MatrixView<const double>, const HardFitOptions&, ThreadPool&);

}  // namespace dualdict
