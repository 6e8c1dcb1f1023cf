// SPDX-License-Identifier: BSD-3-Clause
#include "learn/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>

#include "dualdict/error.h"
#include "learn/initialise.h"
#include "linalg/vectors.h"
#include "solvers/dictionary_step.h"
#include "solvers/projection.h"

namespace dualdict {
namespace {

// A rise of E that rounding can make.
template <class T>
constexpr double kRoundingRise = std::is_same_v<T, float> ? 1e-6 : 1e-12;

// While E falls fast, a few sweeps over every code are enough; full accuracy is bounded only against endless loops.
// Where sweeps converge slowly, some more of them that go past the minimiser are worth their time: D learns from
// the codes it gets (docs/maths.md has the numbers).
constexpr std::size_t kCheapSweeps = 3, kCheapRelaxedSweeps = 5;
constexpr double kRelaxation = 1.4;
constexpr std::size_t kAccurateSweeps = 1000;
constexpr std::size_t kCheapFista = 30;
constexpr std::size_t kAccurateFista = 2000;
constexpr std::size_t kCheapDescent = 8;  // iterations for the dual where its spectrum is not whole
// The gap that an accurate step of D or C may leave, relative to E, as a share of the inner tolerance.
constexpr double kStepGap = 1e-2;

Objective make_objective(const LearnOptions& options, std::size_t n_features) {
  Objective objective;
  objective.n_features = n_features;
  objective.n_atoms = options.n_atoms;
  objective.eta = resolve_eta(options, n_features);
  objective.mu = options.mu;
  objective.positive_codes = options.positive_codes;
  objective.positive_dictionary = options.positive_dictionary;
  return objective;
}

// Like Transform::fit, on the samples of all ranks.
Transform fit_transform(const PreprocessOptions& options, const DataSource& data, Ranks& ranks) {
  if (ranks.alone()) return Transform::fit(options, data);
  std::vector<double> means;
  ranks.together([&] { means = Transform::fit(options, data).feature_means(); });
  if (means.empty()) return Transform(options, {});
  const Shard shard = ranks.shard(data.n_samples());
  for (double& mean : means) mean *= static_cast<double>(data.n_samples()) / static_cast<double>(shard.total);
  ranks.sum(means);
  return Transform(options, std::move(means));
}

}  // namespace

template <class T>
Learner<T>::Learner(const DataSource& data, const LearnOptions& options, const LearnContext& context, Ranks& ranks)
    : data_(data),
      options_(options),
      context_(context),
      ranks_(ranks),
      interrupt_(context.hooks.interrupt, context.checkpoint.path.empty() ? 0 : kPatienceSeconds),
      checkpoint_(context.checkpoint, identity_of(data, options, context.preprocess), ranks),
      pool_(resolve_threads(options.n_threads)),
      transform_(fit_transform(context.preprocess, data, ranks)),
      samples_(load_samples<T>(data, transform_, Random(options.seed, kOrderStream), Interrupt(context.hooks.interrupt),
                               &ranks)),
      objective_(make_objective(options, data.n_features())),
      codes_(samples_.n_samples(), options.n_atoms),
      pass_(std::in_place, samples_, options.n_atoms, pool_, interrupt_),
      replacer_(options.n_atoms, options.replace_below),
      rule_(options.rtol, options.history, kRoundingRise<T>),
      accurate_(options.accurate_steps) {
  moments_.uu = Matrix<double>(options.n_atoms, options.n_atoms);
  moments_.ux = Matrix<double>(options.n_atoms, data.n_features());
  moments_.squared_samples = samples_.squared;
  if (objective_.eta > 0) prepare_dual_step(Interrupt(context.hooks.interrupt));
  usage_.resize(options.n_atoms);
  summary_.reading_seconds = reading_seconds_;
  summary_.n_samples = samples_.n_all();
  summary_.n_features = samples_.n_features();
}

template <class T>
void Learner<T>::prepare_dual_step(const Interrupt& interrupt) {
  sum_second_moments(samples_, pool_, interrupt, moments_);
  dual_solver_.emplace(moments_, kEigenvalueCut<T>, pool_, interrupt);
}

template <class T>
LearnResult Learner<T>::run() {
  try {
    begin();
    warm_up();
    while (!limit_reached(options_, seconds(), summary_) && iterate()) pause();
    if (summary_.outcome == Outcome::kIterationLimit || summary_.outcome == Outcome::kTimeLimit)
      write_checkpoint();  // to go on with a higher limit
  } catch (const Interrupted&) {
    summary_.outcome = Outcome::kInterrupted;
    summary_.message = "interrupted after " + std::to_string(summary_.iterations.size()) + " iterations";
  }
  measure_result();
  return make_result();
}

template <class T>
void Learner<T>::begin() {
  checkpoint_.set_samples(samples_.n_all(), samples_.row_fingerprint);
  if (!checkpoint_.was_read()) return initialise();
  say(checkpoint_.origin());
  if (options_.nonzeros) tau_search_.emplace(*options_.nonzeros);
  LearnState<T> mine = state();
  checkpoint_.restore(mine, samples_);
  agreed_.seconds = earlier_seconds_;
}

template <class T>
void Learner<T>::pause() {
  const bool stop = should_pause();
  if (checkpoint_.is_due(seconds()) || stop) write_checkpoint();
  if (stop) throw Interrupted{};
}

template <class T>
void Learner<T>::initialise() {
  Random random(options_.seed);
  dictionary_ = options_.initial_dictionary;
  if (dictionary_.empty())
    dictionary_ = initial_dictionary(samples_, options_.n_atoms, options_.positive_dictionary, random);
  if (options_.positive_dictionary) project_rows(dictionary_, true);  // a given start may have negative elements
  dual_ = options_.initial_dual.empty() ? dictionary_ : options_.initial_dual;
  round_rows_to_ball<T>(dictionary_);
  round_rows_to_ball<T>(dual_);
  choose_tau();
  energy_ = energy_from_moments(objective_, moments_, dictionary_, dual_, pool_).total();
  rule_.restart(energy_);
}

template <class T>
void Learner<T>::choose_tau() {
  Objective any_tau = objective_;
  any_tau.tau = 1;  // with 0 the problem would be solved in closed form, at the cost of K^3
  problem_.assign(any_tau, dictionary_, dual_, pool_);
  std::ostringstream how;
  if (options_.tau) {
    objective_.tau = *options_.tau;
    summary_.tau_max = tau_max(problem_, samples_, pool_);
    how << "tau = " << objective_.tau;
  } else {
    const SilencingTau silencing = silencing_tau(problem_, samples_, pool_);
    summary_.tau_max = silencing.largest;
    if (options_.nonzeros && silencing.largest > 0) {
      tau_search_.emplace(*options_.nonzeros);
      objective_.tau = tau_search_->start(samples_, objective_, dictionary_, dual_, silencing.largest);
      how << "tau = " << objective_.tau << " to start with, to be moved until codes have " << *options_.nonzeros
          << " nonzeros";
    } else {
      objective_.tau = kDefaultTauFraction * silencing.mean;
      how << "tau = " << objective_.tau << ", the default: " << kDefaultTauFraction
          << " of the mean tau that silences a sample (--tau and --nonzeros choose another)";
    }
  }
  how << "; tau_max = " << summary_.tau_max
      << " at the start. Effective weights: coding eta d/K = " << objective_.eta * objective_.d() / objective_.k()
      << ", threshold tau d/K = " << objective_.tau * objective_.d() / objective_.k();
  say(how.str());
}

template <class T>
CodeOptions Learner<T>::code_options() const {
  CodeOptions options;
  const bool fista = options_.solver == Solver::kFista;
  options.method = fista ? CodeMethod::kFista : CodeMethod::kDescent;
  options.tolerance = options_.inner_tolerance;
  options.active_set = accurate_;
  const bool relaxed = !accurate_ && !problem_.sweeps_fast;
  if (relaxed) options.relaxation = kRelaxation;
  const std::size_t cheap_sweeps = relaxed ? kCheapRelaxedSweeps : kCheapSweeps;
  options.max_sweeps = accurate_ ? (fista ? kAccurateFista : kAccurateSweeps) : (fista ? kCheapFista : cheap_sweeps);
  return options;
}

template <class T>
bool Learner<T>::iterate() {
  const Matrix<double> old_dictionary = dictionary_;
  const Matrix<double> old_dual = dual_;
  const double old_energy = energy_;
  const bool first = summary_.iterations.empty();
  const bool lead = options_.solver == Solver::kFast && !options_.accurate_steps;
  IterationRecord record = step(lead);
  if (!first && record.replaced_atoms == 0 && record.energy.total() > old_energy && record.extrapolated)
    record = retreat();
  if (record.replaced_atoms > 0) extrapolation_.restart();
  summary_.replaced_atoms += record.replaced_atoms;
  record.iteration = summary_.iterations.size() + 1;
  record.dictionary_change = relative_change(dictionary_, old_dictionary);
  record.dual_change = relative_change(dual_, old_dual);
  // What the warm-up estimated is no energy of all samples: the history begins with the first that is.
  if (first && warmed_up_) rule_.restart(record.energy_after_codes);
  record.relative_change = rule_.advance(record.energy.total());
  record.seconds = seconds();
  summary_.iterations.push_back(record);
  return should_continue(record);
}

template <class T>
IterationRecord Learner<T>::retreat() {
  dictionary_ = extrapolation_.dictionary();
  dual_ = extrapolation_.dual();
  extrapolation_.restart();
  // Exact codes cannot be worse for these D and C than the codes were that they were made with.
  const bool accurate = std::exchange(accurate_, true);
  IterationRecord record = step(false);
  accurate_ = accurate;
  record.accurate = record.accurate && accurate;
  return record;
}

template <class T>
IterationRecord Learner<T>::step(bool lead) {
  const std::size_t n = samples_.n_all();
  IterationRecord record;
  record.tau = objective_.tau;
  if (lead) {
    record.extrapolated = extrapolation_.lead(dictionary_, dual_);
    round_to_feasible();
  }
  record.energy_before_codes = energy_from_moments(objective_, moments_, dictionary_, dual_, pool_).total();
  problem_.assign(objective_, dictionary_, dual_, pool_);
  if (options_.solver == Solver::kFista) problem_.find_largest_curvature();
  const PassReport pass = code({0, n}, code_options(), *pass_);
  usage_ = pass.usage;
  record.dead_atoms = count_dead(usage_);
  record.nonzeros_per_code = static_cast<double>(pass.codes.nonzeros) / static_cast<double>(n);
  record.energy_after_codes = energy_from_moments(objective_, moments_, dictionary_, dual_, pool_).total();
  const double scale = record.energy_after_codes > 0 ? record.energy_after_codes : 1.0;
  record.duality_gap = pass.codes.gap / scale;

  if (pass.codes.nonzeros > 0 && options_.replace_below > 0 && !options_.keep_dictionary)
    record.replaced_atoms = replacer_.replace(samples_, objective_, usage_, pool_, codes_, dictionary_, moments_);
  step_gap_ = 0;
  if (!options_.keep_dictionary) update_dictionary(record.energy_after_codes);
  record.energy_after_dictionary = energy_from_moments(objective_, moments_, dictionary_, dual_, pool_).total();
  if (objective_.eta > 0) update_dual(record.energy_after_codes);
  record.energy = energy_from_moments(objective_, moments_, dictionary_, dual_, pool_);
  energy_ = record.energy.total();
  const bool exact_codes = pass.codes.unfinished == 0 || record.duality_gap <= 0.01 * options_.rtol;
  record.accurate = accurate_ && exact_codes && step_gap_ <= step_tolerance(scale);
  return record;
}

template <class T>
PassReport Learner<T>::code(SampleRange range, const CodeOptions& options, CodePass<T>& pass) {
  PassReport report;
  const std::size_t first = samples_.n_first(range.first);
  const SampleRange mine{first, samples_.n_first(range.first + range.count) - first};
  ranks_.attempt([&] { report = pass.run(problem_, options, mine, codes_, moments_); });
  if (ranks_.alone()) return report;
  mine_.seconds = own_seconds();
  mine_.interrupt = interrupt_.is_requested();
  agreed_ = sum_pass(ranks_, dictionary_, dual_, mine_, report, moments_);
  return report;
}

template <class T>
void Learner<T>::round_to_feasible() {
  round_rows_to_ball<T>(dictionary_);
  round_rows_to_ball<T>(dual_);
  if (options_.positive_dictionary) project_rows(dictionary_, true);
}

template <class T>
void Learner<T>::scale_moments(double factor) {
  for (Matrix<double>* sums : {&moments_.uu, &moments_.ux})
    for (std::size_t i = 0; i < sums->size(); ++i) sums->data()[i] *= factor;
  moments_.sum_abs_codes *= factor;
}

template <class T>
double Learner<T>::step_tolerance(double energy) const {
  return kStepGap * options_.inner_tolerance * energy;
}

template <class T>
void Learner<T>::update_dictionary(double energy) {
  DictionaryStepOptions options;
  options.gap_tolerance = step_tolerance(energy);
  const bool fista = options_.solver == Solver::kFista;
  const bool warming_up = warmed_up_ && !warm_up_.finished;
  options.max_passes = accurate_ ? 50 : (warming_up ? 2 : 5);
  options.certify = !warming_up;
  options.max_fista_iterations = accurate_ ? kAccurateFista : (fista ? kCheapFista : 0);
  options.pool = &pool_;
  if (ranks_.alone()) options.interrupt = &interrupt_;  // ranks end together, after a pass
  const StepReport report = fista ? dictionary_step_fista(objective_, moments_, options, dictionary_)
                                  : dictionary_step_fast(objective_, moments_, options, dictionary_);
  round_rows_to_ball<T>(dictionary_);
  step_gap_ += report.gap;
}

template <class T>
void Learner<T>::update_dual(double energy) {
  if (options_.solver == Solver::kFista) {
    const std::size_t iterations = accurate_ ? kAccurateFista : kCheapFista;
    step_gap_ += dual_step_fista(objective_, moments_, step_tolerance(energy), iterations, dual_, pool_).gap;
  } else {
    const DescentLimits limits{step_tolerance(energy), accurate_ ? kAccurateFista : kCheapDescent,
                               ranks_.alone() ? &interrupt_ : nullptr};
    const StepReport report = dual_solver_->step(objective_, moments_, dual_, limits, pool_);
    if (dual_solver_->descends()) step_gap_ += report.gap;
  }
  round_rows_to_ball<T>(dual_);
}

template <class T>
bool Learner<T>::should_continue(const IterationRecord& record) {
  if (!std::isfinite(record.energy.total())) {
    summary_.outcome = Outcome::kNumericalFailure;
    summary_.message = "E is not finite after iteration " + std::to_string(record.iteration);
    throw Error(ErrorKind::kNumerical, summary_.message + "; use --dtype float64, or scale the data");
  }
  const bool wants_stop = report(record);
  if ((!tau_search_ || samples_.squared == 0) && trivial(record, summary_.tau_max, samples_.squared == 0, summary_))
    return false;
  if (wants_stop) {
    summary_.outcome = Outcome::kStopped;
    summary_.message = "stopped by the caller after iteration " + std::to_string(record.iteration);
    return false;
  }
  if (move_tau(record.nonzeros_per_code)) return true;
  if (converged(rule_, record, summary_)) return false;
  // Cheap steps must not fake convergence: from here on they are accurate.
  if (rule_.is_near(record.relative_change)) accurate_ = true;
  return true;
}

template <class T>
bool Learner<T>::report(const IterationRecord& record) {
  const auto tell = [&] { return context_.hooks.on_iteration && context_.hooks.on_iteration(record) == Action::kStop; };
  if (ranks_.alone()) return tell();
  ranks_.attempt([&] { mine_.stop = tell() || mine_.stop; });
  return agreed_.stop;  // as wished before the last sum: the others have not heard of today's wish yet
}

template <class T>
bool Learner<T>::move_tau(double nonzeros) {
  if (!tau_search_) return false;
  const double tau = tau_search_->next(objective_.tau, nonzeros);
  if (tau == objective_.tau) return false;
  objective_.tau = tau;
  extrapolation_.restart();
  energy_ = energy_from_moments(objective_, moments_, dictionary_, dual_, pool_).total();
  rule_.restart(energy_);
  return true;
}

template <class T>
LearnState<T> Learner<T>::state() {
  earlier_seconds_ += clock_.seconds();
  clock_ = Stopwatch();
  return {dictionary_,
          dual_,
          codes_,
          moments_,
          usage_,
          objective_.tau,
          energy_,
          warmed_up_,
          accurate_,
          warm_up_,
          extrapolation_.state(),
          rule_,
          replacer_.replaced(),
          tau_search_,
          summary_,
          earlier_seconds_};
}

template <class T>
void Learner<T>::write_checkpoint() {
  if (checkpoint_.is_on()) checkpoint_.write(state(), samples_);
}

template <class T>
void Learner<T>::say(const std::string& message) const {
  if (context_.hooks.on_message) context_.hooks.on_message(message);
}

template class Learner<float>;
template class Learner<double>;

}  // namespace dualdict
