// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/finish.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/random.h"
#include "core/sample_order.h"
#include "dualdict/version.h"
#include "learn/fit/atoms.h"
#include "learn/fit/coding_weights.h"
#include "learn/fit/effort.h"
#include "learn/fit/l0_finish.h"
#include "learn/fit/result_size.h"
#include "learn/fit/start.h"
#include "learn/fit/step.h"
#include "learn/samples/measure.h"
#include "model/fit_encoders.h"
#include "model/table/advice.h"
#include "model/table/encoding_table.h"

namespace dualdict {
namespace {

// The samples [first, first + count) of a random order.
template <class T>
Matrix<T> gather(const Samples<T>& samples, const SampleOrder& order, std::size_t first, std::size_t count) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = order.at(first + i);
  return samples_at<T>(samples, places);
}

// The codes of the first samples of the order, of one process.
template <class T>
Matrix<T> gather_codes(const CodeStore<T>& codes, const SampleOrder& order, std::size_t count) {
  Matrix<T> rows(count, codes.cols());
  for (std::size_t i = 0; i < count; ++i) codes.read(order.at(i), rows.view().row_range(i, 1));
  return rows;
}

template <class T>
class Finish {
 public:
  Finish(FitState& state, Samples<T>& samples, CodeStore<T>& codes, const FitOrigin& origin, Control& control,
         ThreadPool& pool, LearnSummary summary)
      : state_(state),
        samples_(samples),
        codes_(codes),
        origin_(origin),
        control_(control),
        pool_(pool),
        summary_(std::move(summary)) {}

  LearnResult run();

 private:
  bool from_stream() const { return state_.stream.n_samples > 0; }
  bool is_l0() const { return state_.objective.penalty == Penalty::kL0; }
  bool is_interrupted() const { return summary_.outcome == Outcome::kInterrupted; }
  // The weights of codes from here on, where they are not those of learning.
  void settle_coding();
  // A part of the end was cut off by the caller's wish or by the limit of time.
  void note_end(const Interrupt& interrupt, const std::string& when);
  // Exact codes; whether there was time for them.
  bool code_exactly();
  void code(const Interrupt& interrupt);
  // With eta = 0 C is outside of E and fitted here.
  void fit_dual();
  void measure();
  void fit_encoders(ModelParts& parts);
  std::size_t haste_divisor() const;
  // Whether there was time for it.
  bool measure_l0(ModelParts& parts, std::size_t n_measured, std::size_t n_learned, const Interrupt& interrupt);
  Matrix<T> unseen_samples(std::size_t most);
  void end_measuring(bool on_this_rank, const Interrupt& interrupt);
  void describe();
  LearnResult make_result();

  FitState& state_;
  Samples<T>& samples_;
  CodeStore<T>& codes_;
  const FitOrigin& origin_;
  Control& control_;
  ThreadPool& pool_;
  LearnSummary summary_;
  ModelParts parts_;
  Objective learned_;  // with which D was learned
  bool coded_exactly_ = false;
  bool cut_by_limit_ = false;
};

template <class T>
LearnResult Finish<T>::run() {
  settle_coding();
  coded_exactly_ = has_many_atoms(state_.objective) || code_exactly();
  measure();
  return make_result();
}

template <class T>
void Finish<T>::settle_coding() {
  learned_ = state_.objective;
  if (is_l0()) {
    control_.say("setting the levels of hard and greedy codes");
    L0Learning<T> learning(samples_, codes_, control_, pool_);
    return settle_l0(state_, learning, is_interrupted(), parts_);
  }
  if (is_interrupted() && !from_stream()) return;
  Interrupt interrupt = control_.impatient();
  control_.set_end(interrupt, 0);
  try {
    state_.objective = coding_objective(samples_, control_.options(), learned_, state_.dictionary, state_.dual,
                                        {pool_, interrupt, control_.progress()});
  } catch (const Interrupted&) {
    note_end(interrupt, "before the weights of codes were found");
  }
}

template <class T>
bool Finish<T>::code_exactly() {
  if (is_l0()) {
    control_.say("coding every sample greedily");
    code(Interrupt(nullptr));
    return true;
  }
  if (is_interrupted() && !from_stream()) return false;
  control_.say("coding every sample exactly");
  control_.progress().begin("coding every sample exactly", samples_.n_samples(), "samples");
  Interrupt interrupt = control_.impatient();
  control_.set_end(interrupt, 0);
  const Interrupt never(nullptr);
  try {
    code(is_interrupted() ? never : interrupt);
  } catch (const Interrupted&) {
    note_end(interrupt, "before every sample was coded exactly, after " + std::to_string(state_.iterations.size()) +
                            " iterations");
    if (!from_stream()) return false;
    samples_ = kept_samples<T>(state_, control_.options().seed, true, control_.ranks());
    code(never);
  }
  // A limit within the warm-up, or before: C may be the start still, which is no encoder.
  const bool unfitted = !from_stream() && state_.iterations.empty() && control_.options().initial_dual.empty();
  // That of a stream was fitted to more samples than are kept, unless it was left for the end.
  const bool fitted_on_more = from_stream() && learned_.eta > 0;
  try {
    if ((state_.objective.eta == 0 && !fitted_on_more) || unfitted) fit_dual();
    if (state_.objective.eta > 0 && unfitted) code(interrupt);
  } catch (const Interrupted&) {
    note_end(interrupt, "before C was fitted");
  }
  return true;
}

template <class T>
void Finish<T>::note_end(const Interrupt& interrupt, const std::string& when) {
  if (interrupt.is_requested()) summary_.outcome = Outcome::kInterrupted;
  if (!interrupt.is_requested() && std::exchange(cut_by_limit_, true)) return;  // the first cut is the one to tell
  const std::string what = interrupt.is_requested() ? "interrupted " : "the time limit was over ";
  summary_.message = what + when + "; " + summary_.message;
}

template <class T>
void Finish<T>::code(const Interrupt& interrupt) {
  if (from_stream()) codes_ = CodeStore<T>(samples_.n_samples(), state_.objective.n_atoms);
  Stepper<T> stepper(control_, pool_, interrupt);
  const PassReport report =
      stepper.code(state_, {samples_, codes_, {0, samples_.n_all()}}, final_codes<T>(control_.options()));
  state_.atoms.usage = report.usage;
  summary_.max_kkt_residual = report.codes.max_kkt;
  summary_.tau_max = report.codes.strongest_pull * state_.objective.k();
  Ranks& ranks = control_.ranks();
  ranks.max(std::span(&summary_.max_kkt_residual, 1));
  ranks.max(std::span(&summary_.tau_max, 1));
  summary_.duality_gap = report.codes.gap;
}

template <class T>
void Finish<T>::fit_dual() {
  constexpr double kGap = 1e-6;  // relative to 1/K |U|^2, where C is not solved for in closed form
  constexpr std::size_t kIterations = 300;
  control_.progress().begin("fitting C");
  Interrupt interrupt = control_.impatient();
  control_.set_end(interrupt, 0);
  sum_second_moments(samples_, pool_, interrupt, state_.moments);
  double squared_codes = 0;
  for (std::size_t k = 0; k < state_.objective.n_atoms; ++k) squared_codes += state_.moments.uu(k, k);
  const DescentLimits limits{kGap * squared_codes / state_.objective.k(), kIterations,
                             samples_.alone() ? &interrupt : nullptr};
  DualSolver(state_.moments, kEigenvalueCut<T>, pool_, interrupt)
      .step(state_.objective, state_.moments, state_.dual, limits, pool_);
  round_rows_to_ball<T>(state_.dual);
}

template <class T>
void Finish<T>::measure() {
  if (has_many_atoms(state_.objective)) return measure_wide(state_, samples_, pool_, summary_);
  const Objective& objective = state_.objective;
  summary_.energy = measure_energy(samples_, objective, state_.dictionary, state_.dual, codes_, pool_);
  if (!coded_exactly_) summary_.tau_max = state_.tau.max;
  const double total = summary_.energy.total();
  if (!coded_exactly_)
    summary_.duality_gap = state_.iterations.empty() ? 1.0 : state_.iterations.back().duality_gap;
  else if (total > 0)
    summary_.duality_gap /= total;
  auto nonzeros = static_cast<double>(codes_.n_nonzeros());
  control_.ranks().sum(std::span(&nonzeros, 1));
  summary_.nonzeros_per_code = nonzeros / static_cast<double>(samples_.n_all());
  if (!coded_exactly_ || nonzeros > 0 || samples_.squared == 0 || summary_.outcome == Outcome::kTrivial) return;
  summary_.outcome = Outcome::kTrivial;
  summary_.message =
      is_l0() ? "every code is zero: the samples are all alike"
              : "every code is zero in the end; take a smaller --tau, or --nonzeros; before, " + summary_.message;
}

template <class T>
void Finish<T>::fit_encoders(ModelParts& parts) {
  control_.say("fitting the encoders and measuring them");
  Ranks& ranks = control_.ranks();
  const Objective& objective = state_.objective;
  const std::size_t haste = haste_divisor();
  const std::size_t n_measured = measure_samples(objective.n_atoms, objective.n_features) / haste;
  const std::size_t n = samples_.n_all();
  Interrupt interrupt = control_.impatient(kEncoderPatience);
  control_.set_end(interrupt, -kGraceSeconds);
  if (is_l0()) {
    const std::size_t n_learned = fit_samples(objective.n_features) / haste;
    return end_measuring(measure_l0(parts, n_measured, n_learned, interrupt), interrupt);
  }
  double interrupted = 0;
  Random random(control_.options().seed, 1);
  const SampleOrder order(n, random);
  const bool unseen = origin_.validation != nullptr;
  Matrix<T> held_out = unseen_samples(n_measured);
  if (!unseen) {
    const std::size_t count = n < kFewestToHoldOut ? 0 : std::min(n_measured, n / 4);
    held_out = gather(samples_, order, n - count, count);
  }
  const std::size_t n_fit = std::min(fit_samples(objective.n_features) / haste, unseen ? n : n - held_out.rows());
  const Matrix<T> fit = gather(samples_, order, 0, n_fit);
  // All are exact unless there was haste; those of other ranks are not at hand.
  const Matrix<T> fit_codes = !coded_exactly_ || !samples_.alone() ? Matrix<T>() : gather_codes(codes_, order, n_fit);
  codes_ = {};  // not needed any more
  ranks.together([&] {
    const EncoderSamples<T> samples{fit.view(), held_out.view(), unseen, fit_codes.view()};
    const FitRun run{pool_.size(), &interrupt, &control_.progress()};
    if (ranks.rank() == 0 && !fit_and_measure_encoders<T>(parts, samples, run)) interrupted = 1;
  });
  end_measuring(interrupted == 0, interrupt);
}

// The modes of penalty l0 were fitted with its levels.
template <class T>
bool Finish<T>::measure_l0(ModelParts& parts, std::size_t n_measured, std::size_t n_learned,
                           const Interrupt& interrupt) {
  L0Measured<T> samples = l0_measured(state_, samples_, n_learned, n_measured);
  EncodingTable& table = parts.provenance.encoding;
  if (origin_.validation != nullptr) samples.held_out = unseen_samples(n_measured);
  bool measured = true;
  control_.ranks().together([&] {
    if (control_.ranks().rank() != 0) return;
    try {
      table = measure_encoders<T>(parts, {samples.learned.view(), samples.held_out.view()},
                                  {pool_.size(), &interrupt, &control_.progress()});
    } catch (const Interrupted&) {
      measured = false;
    }
  });
  table.unseen = measured && origin_.validation != nullptr;
  table.held_out = table.unseen || (measured && state_.l0.n_held_out > 0);
  return measured;
}

// Preprocessed; empty where no others were given than those learned from.
template <class T>
Matrix<T> Finish<T>::unseen_samples(std::size_t most) {
  Matrix<T> samples;
  if (origin_.validation == nullptr) return samples;
  const DataSource& validation = *origin_.validation;
  control_.ranks().attempt(
      [&] { samples = read_samples<T>(validation, origin_.transform, 0, std::min(most, validation.n_samples())); });
  return samples;
}

template <class T>
void Finish<T>::end_measuring(bool on_this_rank, const Interrupt& interrupt) {
  double interrupted = on_this_rank ? 0 : 1;
  control_.ranks().max(std::span(&interrupted, 1));
  if (interrupted == 0) return;
  if (control_.ranks().alone()) return note_end(interrupt, "before the encoders were fitted and measured");
  summary_.message = "interrupted before the encoders were fitted and measured; " + summary_.message;
  summary_.outcome = Outcome::kInterrupted;
}

// On so many times fewer samples the encoders are fitted and measured in the time that there is.
template <class T>
std::size_t Finish<T>::haste_divisor() const {
  if (is_interrupted()) return kHasteDivisor;
  const double needed = seconds_to_fit_encoders({samples_.n_all(), samples_.n_features(), state_.objective.n_atoms,
                                                 pool_.size(), has_many_atoms(state_.objective)});
  const double left = std::max(control_.seconds_left(), kGraceSeconds);
  double divisor = std::clamp(std::ceil(needed / left), 1.0, static_cast<double>(kHasteDivisor));
  control_.ranks().max(std::span(&divisor, 1));  // they gather the samples together
  return static_cast<std::size_t>(divisor);
}

// All of the summary that codes and encoders do not tell.
template <class T>
void Finish<T>::describe() {
  const Objective& objective = state_.objective;
  summary_.iterations = state_.iterations;
  const bool by_pieces = state_.stream.pass > 0 || state_.stream.n_read > 0 || has_many_atoms(state_.objective);
  summary_.n_iterations = by_pieces ? state_.fading.step : state_.iterations.size();
  summary_.n_samples = from_stream() ? state_.stream.n_samples : samples_.n_all();
  summary_.n_features = objective.n_features;
  summary_.seconds = control_.seconds();
  summary_.tau = objective.tau;
  summary_.coding_weight = learned_.eta * objective.d() / objective.k();
  summary_.threshold = objective.tau * objective.d() / objective.k();
  summary_.replaced_atoms = state_.atoms.n_replaced;
  std::vector<std::size_t>& usage = state_.atoms.usage;
  summary_.dead_atoms = count_dead(usage);
  // Ended before anybody has counted.
  if (!coded_exactly_ && state_.iterations.empty() && summary_.dead_atoms == usage.size()) {
    usage.clear();
    summary_.dead_atoms.reset();
  }
  summary_.given = control_.options();
  // A start that was given would be kept twice: in the summary and, moved on, in the model.
  summary_.given.initial_dictionary = summary_.given.initial_dual = Matrix<double>();
  summary_.used = summary_.given;
  summary_.given.penalty = origin_.given_penalty.value_or(summary_.given.penalty);
  if (!is_l0()) {
    summary_.used.tau = objective.tau;
    summary_.used.eta = learned_.eta;
  }
  summary_.used.n_threads = pool_.size();
}

template <class T>
LearnResult Finish<T>::make_result() {
  const Objective& objective = state_.objective;
  ModelParts& parts = parts_;
  parts.dtype = control_.options().dtype;
  parts.dictionary = state_.dictionary;
  parts.dual = state_.dual;
  parts.transform = origin_.transform;
  parts.shape = origin_.shape;
  parts.mean_norm = samples_.mean_norm > 0 ? samples_.mean_norm : 1.0;
  parts.tau = objective.tau;
  parts.eta = objective.eta;
  if (learned_.tau != objective.tau) parts.learning_tau = learned_.tau;
  if (learned_.eta != objective.eta) parts.learning_eta = learned_.eta;
  parts.mu = objective.mu;
  parts.positive_codes = objective.positive_codes;
  fit_encoders(parts);
  describe();
  summary_.advice =
      advice_on(parts.provenance.encoding, objective.n_atoms, objective.n_features, summary_.coding_weight);
  if (parts.provenance.encoding.rows.empty() && cut_by_limit_)
    summary_.advice =
        "the time limit was over before every mode of encoding was fitted and measured; \"exact\" is "
        "always there, and learning on with --init, the model, and a larger --time-limit fits the others";
  if (!summary_.advice.empty()) control_.say(summary_.advice);
  parts.provenance.version = DUALDICT_VERSION;
  parts.provenance.data_name = origin_.name;
  parts.provenance.data_fingerprint = samples_.fingerprint;
  parts.provenance.usage = state_.atoms.usage;
  parts.provenance.summary = summary_;
  parts.provenance.summary.iterations.clear();
  return LearnResult{Model(std::move(parts_)), std::move(summary_)};
}

}  // namespace

template <class T>
Samples<T> kept_samples(const FitState& state, std::size_t seed, bool hasty, Ranks& ranks) {
  const Matrix<double>& kept = state.stream.kept;
  const std::size_t n = std::max(ranks.size(), hasty ? kept.rows() / kHasteDivisor : kept.rows());
  const std::size_t first = n * ranks.rank() / ranks.size();
  const std::size_t last = std::min(n * (ranks.rank() + 1) / ranks.size(), kept.rows());
  const auto source = make_source(kept.view().row_range(std::min(first, last), last - std::min(first, last)));
  return load_samples<T>(*source, Transform(), Random(seed, kOrderStream), Interrupt(nullptr), &ranks);
}

template <class T>
LearnResult finish_fit(FitState& state, Samples<T>& samples, CodeStore<T>& codes, LearnSummary summary,
                       const FitOrigin& origin, Control& control, ThreadPool& pool) {
  return Finish<T>(state, samples, codes, origin, control, pool, std::move(summary)).run();
}

#define DUALDICT_INSTANTIATE(T)                                                                                       \
  template Samples<T> kept_samples<T>(const FitState&, std::size_t, bool, Ranks&);                                    \
  template LearnResult finish_fit<T>(FitState&, Samples<T>&, CodeStore<T>&, LearnSummary, const FitOrigin&, Control&, \
                                     ThreadPool&);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
