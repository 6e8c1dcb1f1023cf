// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/l0_learning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "learn/fit/atoms.h"
#include "learn/fit/coding_weights.h"
#include "learn/fit/start.h"
#include "learn/fit/warm_up.h"
#include "linalg/vectors.h"
#include "solvers/greedy_codes.h"

namespace dualdict {
namespace {

// Samples that the steps of a phase see, again where there are fewer: few samples need as many steps as many do. With
// the penalty l1 first, then four passes at greedy codes.
constexpr std::size_t kFirstRows = 60000, kFewestRows = 200000, kMostRows = 100000, kPasses = 4, kFewestSteps = 20;
constexpr std::size_t kCalmShare = 5;  // in the last of so many parts of the steps no atom is replaced
constexpr std::size_t kLookEvery = 5;  // steps
constexpr double kStartShare = 0.6;    // of the wanted nonzeros, in the codes that greedy ones start from
constexpr double kStartedSteps = 0.6;  // share of the steps in which they do; from zero afterwards, as in a model
constexpr double kNoCodes = std::numeric_limits<float>::max();  // a threshold above all

// The samples that a hard encoder is learned from are so many elements at most.
constexpr std::size_t kMostHardElements = std::size_t{1} << 26;

std::size_t held_out_of(std::size_t n) {
  constexpr std::size_t kFewest = 100, kShare = 5, kMost = 4000;
  return n < kFewest ? 0 : std::min(n / kShare, kMost);
}

// How a pass over the learned samples is cut: equal pieces, each as large as a D step is worth.
struct Pieces {
  std::size_t count = 1;
  std::size_t size = 0;
  Pieces(std::size_t n_learned, std::size_t n_atoms, L0Phase phase) {
    constexpr std::size_t kFewest = 2048, kPerAtom = 4;
    const std::size_t wanted =
        phase == L0Phase::kSamples ? step_samples(n_atoms) : std::max(kFewest, kPerAtom * n_atoms);
    count = (n_learned + wanted - 1) / wanted;
    size = (n_learned + count - 1) / count;
  }
};

template <class T>
std::vector<double> mean_of(const Samples<T>& samples) {
  std::vector<double> mean(samples.n_features());
  for (std::size_t i = 0; i < samples.n_samples(); ++i)
    for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += static_cast<double>(samples.x(i, f));
  if (!samples.alone()) samples.ranks->sum(mean);
  for (double& value : mean) value /= static_cast<double>(samples.n_all());
  return mean;
}

// Until the end of a block the objective has another penalty, also where an interrupt ends it.
class UnderPenalty {
 public:
  UnderPenalty(Objective& objective, Penalty penalty) : objective_(objective), before_(objective.penalty) {
    objective.penalty = penalty;
  }
  ~UnderPenalty() { objective_.penalty = before_; }
  UnderPenalty(const UnderPenalty&) = delete;
  UnderPenalty& operator=(const UnderPenalty&) = delete;

 private:
  Objective& objective_;
  Penalty before_;
};

double follow(double weight, double wanted, double nonzeros) {
  constexpr double kPower = 0.5, kLeast = 0.5, kMost = 2;
  return weight * std::clamp(std::pow(nonzeros / wanted, kPower), kLeast, kMost);
}

}  // namespace

void follow_price(FitState& state, double wanted, double nonzeros) {
  state.objective.price = follow(state.objective.price, wanted, nonzeros);
}

template <class T>
Matrix<T> held_out_samples(const FitState& state, const Samples<T>& samples) {
  const std::size_t n = state.l0.n_held_out;
  return samples_in(samples, {0, n > 0 ? n : samples.n_all()});
}

template <class T>
L0Learning<T>::L0Learning(Samples<T>& samples, CodeStore<T>& codes, Control& control, ThreadPool& pool)
    : samples_(samples),
      codes_(codes),
      control_(control),
      pool_(pool),
      stepper_(control, pool, control.interrupt()),
      wide_(control, pool) {}

template <class T>
void L0Learning<T>::begin(FitState& state) {
  const LearnOptions& options = control_.options();
  control_.say("learning hard codes and a dictionary for greedy codes with " + std::to_string(*options.nonzeros) +
               " nonzeros: first a dictionary from samples");
  state.l0.n_held_out = held_out_of(samples_.n_all());
  state.l0.mean = mean_of(samples_);
  begin_steps(state, L0Phase::kSamples);
  settle_origin(state);
  state.dual = Matrix<double>(options.n_atoms, samples_.n_features());
  Random random(options.seed);
  state.dictionary =
      initial_dictionary(samples_, options.n_atoms, state.objective.atoms, StartFrom::kAllSamples, random);
  make_unit_atoms<T>(state.dictionary);
  if (has_many_atoms(state.objective)) return wide_.begin(state, wide_rows(state));
  find_price(state);
  // Where atoms are orthogonal, a product above the root of the price pays. The codes of l1 are to be denser.
  const Objective& objective = state.objective;
  state.objective.tau = 0.5 * std::sqrt(objective.price) * objective.k() / objective.d();
}

template <class T>
void L0Learning<T>::settle_origin(FitState& state) {
  // Always the same way, so that a fit that goes on has the same bits.
  const bool passes = state.l0.phase > L0Phase::kHard;
  const bool moves = samples_.origin != (passes ? state.l0.offset : state.l0.mean);
  if (samples_.origin.empty()) move_origin(samples_, state.l0.mean);
  if (passes) move_origin(samples_, state.l0.offset);
  if (moves || squared_learned_ < 0) {
    double held = 0;
    for (std::size_t i = 0; i < samples_.n_first(state.l0.n_held_out); ++i)
      held += squared_norm(samples_.x.row(i), samples_.n_features());
    if (!samples_.alone()) samples_.ranks->sum(std::span(&held, 1));
    squared_learned_ = std::max(0.0, samples_.squared - held);
  }
  state.moments.squared_samples = squared_learned_;
}

template <class T>
void L0Learning<T>::find_price(FitState& state) {
  const std::size_t n = std::min(kPriceSamples, learned(state).count);
  const Matrix<T> some = samples_in(samples_, {state.l0.n_held_out, n});
  GreedyProblem<T> problem;
  problem.assign(state.dictionary, {}, state.objective.positive_codes, pool_);
  state.objective.price = price_for_nonzeros<T>(problem, some.view(), nonzeros(), {}, pool_).price;
}

template <class T>
void L0Learning<T>::begin_steps(FitState& state, L0Phase phase) {
  state.l0.phase = phase;
  state.l0.step = 0;
  state.fading = {};
  state.fading.began = true;
  std::fill_n(state.moments.uu.data(), state.moments.uu.size(), 0.0);
  std::fill_n(state.moments.ux.data(), state.moments.ux.size(), 0.0);
  std::fill(state.atoms.usage.begin(), state.atoms.usage.end(), std::size_t{0});
  state.atoms.looked.assign(state.atoms.usage.size(), 0);
}

template <class T>
std::size_t L0Learning<T>::n_steps(const FitState& state) const {
  const std::size_t n = learned(state).count;
  const std::size_t rows =
      state.l0.phase == L0Phase::kSamples ? kFirstRows : std::max(kFewestRows, kPasses * std::min(n, kMostRows));
  return std::max(kFewestSteps, rows / Pieces(n, state.objective.n_atoms, state.l0.phase).size);
}

template <class T>
void L0Learning<T>::advance(FitState& state) {
  if (state.l0.phase == L0Phase::kCollect) return begin(state);
  settle_origin(state);
  tell(state);
  const bool many = has_many_atoms(state.objective);
  if (state.l0.phase != L0Phase::kHard && !many) return step_dictionary(state);
  if (state.l0.phase != L0Phase::kHard)
    step_many(state);
  else
    advance_hard(state);
  control_.agree();
}

template <class T>
void L0Learning<T>::step_many(FitState& state) {
  if (!wide_.advance(state, wide_rows(state))) begin_hard(state);
}

template <class T>
void L0Learning<T>::begin_hard(FitState& state) {
  state.l0.phase = L0Phase::kHard;
  control_.say("learning W and its decoder together for hard codes");
}

template <class T>
void L0Learning<T>::step_dictionary(FitState& state) {
  L0State& l0 = state.l0;
  const std::size_t n_learned = learned(state).count;
  const Pieces pieces(n_learned, state.objective.n_atoms, l0.phase);
  const std::size_t first = l0.step % pieces.count * pieces.size;
  const SampleRange range{l0.n_held_out + first, std::min(pieces.size, n_learned - first)};
  const std::size_t count = n_steps(state);
  StepPlan plan;
  plan.visit = l0.step < pieces.count ? Visit::kFirst : Visit::kAgain;
  plan.replace_unused =
      control_.options().replace_below > 0 && (l0.step + 1) % kLookEvery == 0 && l0.step + count / kCalmShare < count;
  if (!rule_) rule_.emplace(n_learned);
  const bool l1 = l0.phase == L0Phase::kSamples;
  // What a stream keeps has no codes in its checkpoint: every pass over it starts from zero.
  if (l1 && first == 0 && state.stream.n_samples > 0) codes_.clear(samples_.n_samples(), state.objective.n_atoms);
  if (!l1 && static_cast<double>(l0.step) >= kStartedSteps * static_cast<double>(count)) l0.start_threshold = kNoCodes;
  const LearnStep report = [&] {
    const UnderPenalty under(state.objective, l1 ? Penalty::kL1 : Penalty::kL0);
    return stepper_.step(state, {samples_, codes_, range}, *rule_, plan);
  }();
  if (plan.replace_unused) state.atoms.looked = state.atoms.usage;
  state.fading.add(report.pass, 0);
  follow_count(state, static_cast<double>(report.pass.codes.nonzeros) / static_cast<double>(report.pass.n_samples));
  if (++l0.step < count) return;
  if (l1) {
    end_l1(state);
    begin_hard(state);
  } else {
    l0.phase = L0Phase::kDone;
    state.fading.finished = true;
  }
}

template <class T>
void L0Learning<T>::end_l1(FitState& state) const {
  make_unit_atoms<T>(state.dictionary);
  state.objective.tau = 0;
}

template <class T>
void L0Learning<T>::follow_count(FitState& state, double found) const {
  if (state.l0.phase != L0Phase::kSamples) return follow_price(state, nonzeros(), found);
  const double wanted = learning_nonzeros(control_.options(), samples_.n_features());
  state.objective.tau = follow(state.objective.tau, wanted, found);
}

template <class T>
MatrixView<const T> L0Learning<T>::first_rows(std::size_t n) {
  if (samples_.alone()) return samples_.x.view().row_range(0, n);
  if (rows_.rows() != n) rows_ = samples_in(samples_, {0, n});
  return rows_.view();
}

template <class T>
std::size_t L0Learning<T>::n_for_hard(const FitState& state) const {
  return std::min(samples_.n_all(),
                  state.l0.n_held_out + std::max<std::size_t>(1, kMostHardElements / samples_.n_features()));
}

template <class T>
MatrixView<const T> L0Learning<T>::wide_rows(const FitState& state) {
  const std::size_t held = state.l0.n_held_out, n = samples_.alone() ? samples_.n_all() : n_for_hard(state);
  return first_rows(n).row_range(held, n - held);
}

template <class T>
void L0Learning<T>::make_hard_fit(const FitState& state, ThreadPool& pool) {
  const std::size_t n = n_for_hard(state), held = state.l0.n_held_out;
  const MatrixView<const T> rows = first_rows(n);
  const LearnOptions& options = control_.options();
  const HardFitOptions how{.n_atoms = options.n_atoms,
                           .nonzeros = *options.nonzeros,
                           .positive = options.positive_codes,
                           .seed = options.seed,
                           .dictionary = &state.dictionary,
                           .from_dictionary = has_many_atoms(state.objective)};
  hard_.emplace(rows.row_range(held, n - held), rows.row_range(0, held > 0 ? held : n), how, pool);
}

template <class T>
void L0Learning<T>::advance_hard(FitState& state) {
  // Ranks end together, between two pieces of work.
  if (!hearing_pool_ && samples_.alone()) hearing_pool_.emplace(pool_.size(), &control_.interrupt());
  if (!hard_) make_hard_fit(state, hearing_pool_ ? *hearing_pool_ : pool_);
  hard_->advance(state.l0.hard);
  if (state.l0.hard.phase == HardPhase::kDone) end_hard(state);
}

template <class T>
void L0Learning<T>::end_hard(FitState& state) {
  L0State& l0 = state.l0;
  const HardEncoder encoder = hard_->encoder(l0.hard);
  hard_.reset();
  rows_ = {};
  l0.hard.best = {};
  l0.offset = l0.mean;
  for (std::size_t f = 0; f < l0.offset.size(); ++f) l0.offset[f] += encoder.offset[f];
  state.dual = encoder.weights;
  l0.bias = encoder.bias;
  for (std::size_t k = 0; k < l0.bias.size(); ++k)
    l0.bias[k] += dot(encoder.weights.row(k), encoder.offset.data(), encoder.offset.size());
  l0.decoder = encoder.decoder;
  if (has_many_atoms(state.objective)) return end_many(state);
  Matrix<double> other = encoder.decoder;
  make_unit_atoms<T>(other);
  begin_steps(state, L0Phase::kPasses);
  settle_origin(state);
  const bool from_hard = held_out_error(state, other) <= held_out_error(state, state.dictionary);
  if (from_hard) state.dictionary = std::move(other);
  find_price(state);
  control_.say(std::string("learning D for greedy codes that start from ") +
               (from_hard ? "hard ones" : "zero, D from the one of l1"));
  l0.start_threshold = kNoCodes;
  if (!from_hard) return;
  const std::size_t n = std::min(kPriceSamples, learned(state).count);
  const Matrix<T> some = samples_in(samples_, {l0.n_held_out, n});
  HardProblem<T> problem;
  problem.assign(state.dual.view(), l0.bias, 0, encoder.positive);
  Matrix<T> responses(n, state.objective.n_atoms);
  hard_codes<T>(problem, some.view(), responses.view());
  l0.start_threshold =
      static_cast<double>(threshold_for_nonzeros(responses, kStartShare * nonzeros(), encoder.positive));
}

// D is what it is: the hard encoder has a decoder of its own.
template <class T>
void L0Learning<T>::end_many(FitState& state) {
  L0State& l0 = state.l0;
  l0.stalled = l0.hard.stalled;
  l0.hard = {};
  l0.phase = L0Phase::kDone;
  state.fading.finished = true;
  settle_origin(state);
}

template <class T>
double L0Learning<T>::held_out_error(const FitState& state, const Matrix<double>& dictionary) const {
  const Matrix<T> held_out = held_out_samples(state, samples_);
  const MatrixView<const T> some = held_out.view().row_range(0, std::min(kPriceSamples, held_out.rows()));
  GreedyProblem<T> problem;
  problem.assign(dictionary, {}, state.objective.positive_codes, pool_);
  const GreedyOptions how{.price = price_for_nonzeros<T>(problem, some, nonzeros(), {}, pool_).price};
  GreedyWorkspace<T> work;
  Matrix<T> codes(kBlockSamples, dictionary.rows());
  double squared = 0;
  for (std::size_t first = 0; first < some.rows; first += kBlockSamples) {
    const std::size_t n = std::min(kBlockSamples, some.rows - first);
    squared +=
        greedy_codes<T>(problem, some.row_range(first, n), how, work, codes.view().row_range(0, n)).squared_error;
  }
  return squared;
}

template <class T>
void L0Learning<T>::make_usable(FitState& state) {
  if (state.l0.phase == L0Phase::kCollect) begin(state);
  settle_origin(state);
  if (state.l0.phase > L0Phase::kHard) return;
  if (state.l0.phase == L0Phase::kSamples) end_l1(state);
  make_hard_fit(state, pool_);
  if (state.l0.hard.best.n_atoms() == 0) hard_->advance(state.l0.hard);
  end_hard(state);
}

template <class T>
void L0Learning<T>::tell(const FitState& state) {
  LearnProgress& progress = control_.progress();
  const HardFitState& hard = state.l0.hard;
  if (state.l0.phase == L0Phase::kHard) {
    if (hard.training.n_steps == 0) return progress.begin("looking for a start of hard codes");
    return progress.begin("learning hard codes: " + std::to_string(hard.training.n_steps) +
                          " steps; the smallest error on samples held out is " + std::to_string(hard.best_error) +
                          " of their variance");
  }
  const bool many = has_many_atoms(state.objective);
  if ((many || state.l0.step > 0) && told_steps_) return;
  told_steps_ = true;
  if (many) return progress.begin("learning D", wide_.n_left(state, wide_rows(state).rows), "samples");
  progress.begin(
      state.l0.phase == L0Phase::kSamples ? "learning a dictionary to start from" : "learning D",
      (n_steps(state) - state.l0.step) * Pieces(learned(state).count, state.objective.n_atoms, state.l0.phase).size,
      "samples");
}

#define DUALDICT_INSTANTIATE(T) \
  template class L0Learning<T>; \
  template Matrix<T> held_out_samples<T>(const FitState&, const Samples<T>&);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
