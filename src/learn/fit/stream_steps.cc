// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/stream_steps.h"

#include <algorithm>
#include <limits>

#include "learn/fit/atoms.h"
#include "learn/fit/finish.h"
#include "learn/fit/source.h"
#include "learn/fit/start.h"
#include "learn/fit/warm_up.h"
#include "linalg/top_spectrum.h"

namespace dualdict {
namespace {

// |X|^2 over all ranks.
template <class T>
double squared_norms(const Samples<T>& piece) {
  double squared = piece.squared;
  if (!piece.alone()) piece.ranks->sum(std::span(&squared, 1));
  return squared;
}

// The samples of the piece on all ranks: the last of a stream has fewer than its order has places.
template <class T>
std::size_t n_in(const Samples<T>& piece) {
  auto n = static_cast<double>(piece.n_samples());
  if (!piece.alone()) piece.ranks->sum(std::span(&n, 1));
  return static_cast<std::size_t>(n);
}

// Every sample so far has the same chance to be among the kept ones (reservoir sampling).
template <class T>
void keep_some(FitState& state, const Samples<T>& piece, std::size_t n_new, std::size_t seed) {
  StreamPosition& stream = state.stream;
  Random random(seed, 1000 + state.fading.step);
  Matrix<double>& kept = stream.kept;
  const std::size_t d = piece.n_features();
  const std::size_t limit = kept_limit(d, state.objective.penalty);
  const std::size_t n_filled = kept.rows();
  const std::size_t room = std::min(n_new, limit - std::min(limit, n_filled));
  if (room > 0) {
    Matrix<double> larger(n_filled + room, d);
    std::copy_n(kept.data(), kept.size(), larger.data());
    kept = std::move(larger);
  }
  std::vector<std::size_t> places, rows;
  for (std::size_t i = 0; i < n_new; ++i) {
    const std::size_t row = i < room ? n_filled + i : random.index(stream.n_samples + i + 1);
    if (row >= kept.rows()) continue;
    places.push_back(i);
    rows.push_back(row);
  }
  stream.n_samples += n_new;
  if (places.empty()) return;
  const Matrix<T> chosen = samples_at<T>(piece, places);
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(chosen.row(i), d, kept.row(rows[i]));
}

}  // namespace

std::size_t kept_limit(std::size_t n_features, Penalty penalty) {
  constexpr std::size_t kMost = 8000, kMostL0 = 60000, kFewest = 500, kBytes = std::size_t{128} << 20;
  return std::clamp(kBytes / (sizeof(double) * n_features), kFewest, penalty == Penalty::kL0 ? kMostL0 : kMost);
}

bool sums_pairs(const LearnOptions& options, std::size_t n_features) {
  return options.eta ? *options.eta > 0 : n_features <= kWholeSpectrum;
}

template <class T>
FitState stream_state(const LearnOptions& options, std::size_t n_features) {
  FitState state = empty_state<T>(options, n_features);
  if (!sums_pairs(options, n_features)) state.objective.eta = 0;
  return state;
}

// The kept samples while penalty l0 learns from them.
template <class T>
struct StreamSteps<T>::Kept {
  Samples<T> samples;
  CodeStore<T> codes;
  L0Learning<T> learning;
  Kept(const FitState& state, Control& control, ThreadPool& pool)
      : samples(kept_samples<T>(state, control.options().seed, false, control.ranks())),
        codes(samples.n_samples(), state.objective.n_atoms),
        learning(samples, codes, control, pool) {}
};

template <class T>
StreamSteps<T>::StreamSteps(Control& control, ThreadPool& pool)
    : control_(control), pool_(pool), stepper_(control, pool, control.interrupt()) {}
template <class T>
StreamSteps<T>::~StreamSteps() = default;

template <class T>
bool StreamSteps<T>::is_busy(const FitState& state) const {
  if (state.objective.penalty != Penalty::kL0 || L0Learning<T>::is_over(state)) return false;
  return state.l0.phase != L0Phase::kCollect || kept_ ||
         state.stream.kept.rows() >= kept_limit(state.objective.n_features, Penalty::kL0);
}

template <class T>
bool StreamSteps<T>::end_collecting(FitState& state) {
  if (state.objective.penalty != Penalty::kL0 || state.l0.phase != L0Phase::kCollect) return false;
  kept_ = std::make_unique<Kept>(state, control_, pool_);
  return true;
}

template <class T>
void StreamSteps<T>::work(FitState& state) {
  if (!kept_) kept_ = std::make_unique<Kept>(state, control_, pool_);
  kept_->learning.advance(state);
  if (!L0Learning<T>::is_over(state)) return;
  kept_.reset();
  if (has_many_atoms(state.objective)) return;
  // The sums stood for all kept samples; in a stream they stand for those that they come from.
  const double share = state.fading.weight / static_cast<double>(state.stream.kept.rows() - state.l0.n_held_out);
  for (Matrix<double>* sums : {&state.moments.uu, &state.moments.ux})
    for (std::size_t i = 0; i < sums->size(); ++i) sums->data()[i] *= share;
  state.moments.sum_abs_codes *= share;
  state.moments.squared_samples *= share;
}

template <class T>
void StreamSteps<T>::start(FitState& state, const Samples<T>& piece) {
  if (state.objective.penalty == Penalty::kL0) {
    Random random(control_.options().seed);
    state.dictionary =
        initial_dictionary(piece, state.objective.n_atoms, state.objective.atoms, StartFrom::kFirstSamples, random);
    state.dual = Matrix<double>(state.objective.n_atoms, piece.n_features());
    control_.say("keeping samples, up to " + std::to_string(kept_limit(piece.n_features(), state.objective.penalty)) +
                 ", to learn hard codes and the first D from");
  } else {
    try {
      control_.say(start_fit(state, control_.options(), piece, StartFrom::kFirstSamples,
                             {pool_, control_.interrupt(), control_.progress()}));
    } catch (const Interrupted&) {
      state.dictionary = {};  // there is no start yet
      throw;
    }
  }
  state.atoms.looked.assign(state.atoms.usage.size(), 0);
  state.rule.restart(0);
}

template <class T>
StepPlan StreamSteps<T>::plan(const FitState& state, const Samples<T>& piece) const {
  const LearnOptions& options = control_.options();
  const StreamSchedule& next = state.stream.next;
  const std::size_t seen = state.fading.n_seen + piece.n_all();
  StepPlan plan;
  plan.visit = state.stream.pass == 0 ? Visit::kFirst : Visit::kAgain;
  plan.replace_unused = options.replace_below > 0 && !options.keep_dictionary && seen >= next.look;
  plan.move_dual = state.objective.eta > 0 && seen >= next.dual;
  plan.measure = seen >= next.report ? Measure::kAll : Measure::kNothing;
  return plan;
}

template <class T>
void StreamSteps<T>::step(FitState& state, Samples<T>& piece) {
  const bool l0 = state.objective.penalty == Penalty::kL0;
  if (state.dictionary.empty()) start(state, piece);
  const std::size_t n = n_in(piece);
  const bool only_keeps = l0 && !L0Learning<T>::is_over(state);
  const StepPlan how = plan(state, piece);
  const std::size_t before = state.fading.n_seen;
  // First, so that there is something to end with when the step is cut.
  if (state.stream.pass == 0) keep_some(state, piece, n, control_.options().seed);
  if (only_keeps) {
    state.stream.n_read += n;
    return control_.agree();
  }
  if (l0) move_origin(piece, state.l0.offset);
  if (has_many_atoms(state.objective)) return learn_many(state, piece, how);
  const LearnStep step = take(state, piece, how);
  state.stream.n_read += n;
  state.fading.add(step.pass, 0);
  if (how.replace_unused) state.atoms.looked = state.atoms.usage;
  if (l0) {
    follow_price(state, *control_.options().nonzeros,
                 static_cast<double>(step.pass.codes.nonzeros) / static_cast<double>(step.pass.n_samples));
  } else if (state.fading.n_seen >= state.stream.next.tau && before > 0) {
    stepper_.follow_nonzeros(state, state.fading.round_nonzeros / static_cast<double>(state.fading.round_step));
    state.fading.begin_round();
  }
  schedule(state, how);
  if (how.measure == Measure::kAll) report(state, step);
}

template <class T>
void StreamSteps<T>::learn_many(FitState& state, const Samples<T>& piece, const StepPlan& plan) {
  const std::size_t n = n_in(piece);
  const Matrix<T> all = samples_in(piece, {0, n});
  LearnStep step;
  WideSteps<T> steps(control_, pool_);
  const GreedyCodeReport made = steps.learn(state, all.view());
  step.pass.n_samples = n;
  step.pass.codes.nonzeros = made.nonzeros;
  const Objective& objective = state.objective;
  step.energy.reconstruction = made.squared_error / objective.d();
  step.energy.l0 = objective.price * static_cast<double>(made.nonzeros) / objective.d();
  state.energy = step.energy_after_codes = step.energy_after_dictionary = step.energy.total();
  state.fading.weight = static_cast<double>(n);
  state.stream.n_read += n;
  control_.agree();
  schedule(state, plan);
  if (plan.measure == Measure::kAll) report(state, step);
}

template <class T>
LearnStep StreamSteps<T>::take(FitState& state, const Samples<T>& piece, const StepPlan& plan) {
  codes_.clear(piece.n_samples(), state.objective.n_atoms);
  const Batch<T> batch{piece, codes_, {0, piece.n_all()}};
  if (state.stream.chapters.length > 0 && state.stream.pass > 0) {
    ChapterSums rule;
    return stepper_.step(state, batch, rule, plan);
  }
  Matrix<double> xx;
  if (state.objective.eta > 0) xx = second_moments(piece, pool_, control_.interrupt());
  StreamSums rule(std::move(xx), state.fading.weight > 0 ? 0.0 : squared_norms(piece));
  return stepper_.step(state, batch, rule, plan);
}

template <class T>
void StreamSteps<T>::begin_pass(FitState& state) {
  if (state.stream.n_read == 0 && state.stream.chapters.length > 0)
    begin_chapters(state.stream.chapters, state.moments);
  if (state.objective.eta > 0) stepper_.prepare_dual(state.moments, control_.interrupt());
}

template <class T>
void StreamSteps<T>::end_pass(FitState& state) {
  if (state.objective.eta > 0) stepper_.follow_sums(state);
}

// What is due again, and after how many samples. A fit that has seen many is moved little by as many more: all grows
// with them.
template <class T>
void StreamSteps<T>::schedule(FitState& state, const StepPlan& plan) const {
  const std::size_t seen = state.fading.n_seen;
  const std::size_t step = step_samples(state.objective.n_atoms);
  StreamSchedule& next = state.stream.next;
  if (plan.replace_unused) next.look = seen + std::max(step, seen / 4);
  // XX' changes with every piece of the first pass; to solve for C costs as much as coding some d samples.
  if (plan.move_dual)
    next.dual = seen + std::max(8 * state.objective.n_features, state.stream.pass == 0 ? seen / 16 : 0);
  if (seen >= next.tau) next.tau = seen + std::max(4 * step, seen / 8);
  constexpr std::size_t kMostUnreported = 65536;
  if (plan.measure == Measure::kAll) next.report = seen + std::clamp(seen / 8, step, std::max(step, kMostUnreported));
}

template <class T>
void StreamSteps<T>::report(const FitState& state, const LearnStep& step) {
  require_finite_energy(state.energy, state.fading.step);
  if (!control_.is_watched()) return;
  // Brought to all samples so far.
  const double factor =
      state.stream.pass == 0 ? static_cast<double>(state.stream.n_samples) / state.fading.weight : 1.0;
  IterationRecord record;
  record.iteration = state.fading.step;
  record.seconds = control_.seconds();
  record.energy = step.energy;
  Energy::for_each_field(record.energy, [&](const char*, double& term) { term *= factor; });
  record.energy_after_codes = factor * step.energy_after_codes;
  record.energy_after_dictionary = factor * step.energy_after_dictionary;
  record.tau = state.objective.tau;
  record.nonzeros_per_code = static_cast<double>(step.pass.codes.nonzeros) / static_cast<double>(step.pass.n_samples);
  record.replaced_atoms = step.replaced_atoms;
  record.relative_change = std::numeric_limits<double>::quiet_NaN();  // other samples, another energy
  stop_ = control_.report(record);
}

template FitState stream_state<float>(const LearnOptions&, std::size_t);
template FitState stream_state<double>(const LearnOptions&, std::size_t);
template class StreamSteps<float>;
template class StreamSteps<double>;

}  // namespace dualdict
