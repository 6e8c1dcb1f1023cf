// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/step.h"

#include "learn/fit/atoms.h"
#include "learn/fit/start.h"
#include "solvers/dictionary_step.h"

namespace dualdict {
namespace {

void scale_codes(double factor, Moments& moments) {
  for (Matrix<double>* sums : {&moments.uu, &moments.ux})
    for (std::size_t i = 0; i < sums->size(); ++i) sums->data()[i] *= factor;
  moments.sum_abs_codes *= factor;
}

}  // namespace

template <class T>
Stepper<T>::Stepper(Control& control, ThreadPool& pool, const Interrupt& interrupt)
    : control_(control), pool_(pool), interrupt_(interrupt), l1_coder_(pool.size()), l0_coder_(pool) {}

template <class T>
BatchCoder<T>& Stepper<T>::coder_of(const FitState& state, const StepPlan& plan, const StepEffort& effort) {
  if (state.objective.penalty == Penalty::kL0) {
    const bool has_hard = state.l0.phase > L0Phase::kHard;
    l0_coder_.assign(state, plan.visit == Visit::kAll ? CodeStart::kBefore
                            : has_hard                ? CodeStart::kHard
                                                      : CodeStart::kZero);
    return l0_coder_;
  }
  CodeProblem<T>& problem = l1_coder_.problem();
  problem.assign(state.objective, state.dictionary, state.dual, pool_);
  if (control_.options().solver == Solver::kFista) problem.find_largest_curvature();
  l1_coder_.set_options(problem.sweeps_fast ? effort.codes : effort.slow_codes);
  return l1_coder_;
}

template <class T>
LearnStep Stepper<T>::step(FitState& state, const Batch<T>& batch, SumRule& rule, const StepPlan& plan) {
  rule.begin(state);
  const PassReport pass = make_codes(state, batch, plan);
  return follow_codes(state, pass, rule, plan,
                      [&] { return replace_unused(state, batch, control_.options().replace_below, pool_); });
}

template <class T>
PassReport Stepper<T>::make_codes(FitState& state, const Batch<T>& batch, const StepPlan& plan) {
  const StepEffort effort = effort_of(control_.options(), plan.visit, plan.accurate);
  return run_codes(state, batch, coder_of(state, plan, effort));
}

template <class T>
LearnStep Stepper<T>::follow_codes(FitState& state, const PassReport& pass, SumRule& rule, const StepPlan& plan,
                                   const std::function<std::size_t()>& replace) {
  const LearnOptions& options = control_.options();
  const StepEffort effort = effort_of(options, plan.visit, plan.accurate);
  LearnStep report;
  report.pass = pass;
  if (plan.measure != Measure::kNothing) {
    const double scale = rule.scale(state, report.pass);
    if (scale != 1) scale_codes(scale, state.moments);
    report.energy_after_codes = state.energy = energy(state).total();
    if (scale != 1) scale_codes(1 / scale, state.moments);
  }
  count_uses(state, plan, report.pass);
  const bool coded = report.pass.codes.nonzeros > 0;
  if (coded && plan.replace_unused) report.replaced_atoms = replace();
  rule.join(state, report.pass);

  if (coded || plan.visit == Visit::kAll) {
    if (!options.keep_dictionary) report.step_gap += move_dictionary(state, effort);
    // Sums that fade are of codes of several D: without a length of its own an atom would shrink from step to step.
    if (state.objective.penalty == Penalty::kL0 && plan.visit != Visit::kAll) make_unit_atoms<T>(state.dictionary);
    if (plan.measure == Measure::kAll) report.energy_after_dictionary = energy(state).total();
    if (state.objective.eta > 0 && plan.move_dual) {
      if (rule.changes_samples()) prepare_dual(state.moments, interrupt_);
      report.step_gap += move_dual(state, effort);
    }
  }
  if (plan.measure == Measure::kAll) {
    report.energy = energy(state);
    state.energy = report.energy.total();
  }
  return report;
}

template <class T>
PassReport Stepper<T>::code(FitState& state, const Batch<T>& batch, const CodeOptions& options) {
  if (state.objective.penalty == Penalty::kL0) {
    l0_coder_.assign(state, CodeStart::kZero);
    return run_codes(state, batch, l0_coder_);
  }
  l1_coder_.problem().assign(state.objective, state.dictionary, state.dual, pool_);
  l1_coder_.set_options(options);
  return run_codes(state, batch, l1_coder_);
}

template <class T>
PassReport Stepper<T>::run_codes(FitState& state, const Batch<T>& batch, BatchCoder<T>& coder) {
  const Samples<T>& samples = batch.samples;
  if (!pass_)
    pass_.emplace(samples.n_features(), state.objective.n_atoms, WatchedPool{pool_, interrupt_, control_.progress()});
  PassReport report;
  control_.ranks().attempt(
      [&] { report = pass_->run(coder, samples.x.view(), batch.rows(), batch.codes, state.moments); });
  control_.agree(state.dictionary, state.dual, report, state.moments);
  return report;
}

template <class T>
Energy Stepper<T>::energy(const FitState& state) const {
  return energy_from_moments(state.objective, state.moments, state.dictionary, state.dual, pool_);
}

template <class T>
bool Stepper<T>::follow_nonzeros(FitState& state, double nonzeros) const {
  if (!state.tau.search) return false;
  const double tau = state.tau.search->next(state.objective.tau, nonzeros);
  if (tau == state.objective.tau) return false;
  state.objective.tau = tau;
  state.extrapolation.restart();
  state.energy = energy(state).total();
  return true;
}

template <class T>
void Stepper<T>::count_uses(FitState& state, const StepPlan& plan, const PassReport& pass) const {
  std::vector<std::size_t>& usage = state.atoms.usage;
  if (plan.visit == Visit::kAll)
    usage = pass.usage;
  else
    for (std::size_t i = 0; i < usage.size(); ++i) usage[i] += pass.usage[i];
}

template <class T>
double Stepper<T>::move_dictionary(FitState& state, const StepEffort& effort) const {
  const LearnOptions& options = control_.options();
  DictionaryStepOptions how;
  how.gap_tolerance = step_tolerance(options, state.energy);
  how.max_passes = effort.dictionary_passes;
  how.certify = effort.certify_dictionary;
  how.max_fista_iterations = effort.dictionary_fista;
  how.pool = &pool_;
  if (control_.ranks().alone()) how.interrupt = &control_.interrupt();  // ranks end together, after a pass
  const StepReport report = options.solver == Solver::kFista
                                ? dictionary_step_fista(state.objective, state.moments, how, state.dictionary)
                                : dictionary_step_fast(state.objective, state.moments, how, state.dictionary);
  round_rows_to_ball<T>(state.dictionary);
  return report.gap;
}

template <class T>
double Stepper<T>::move_dual(FitState& state, const StepEffort& effort) const {
  const LearnOptions& options = control_.options();
  const double tolerance = step_tolerance(options, state.energy);
  double gap = 0;
  if (options.solver == Solver::kFista) {
    gap = dual_step_fista(state.objective, state.moments, tolerance, effort.dual_fista, state.dual, pool_).gap;
  } else {
    const DescentLimits limits{tolerance, effort.dual_descent,
                               control_.ranks().alone() ? &control_.interrupt() : nullptr};
    const auto report = dual_solver_->step(state.objective, state.moments, state.dual, limits, pool_);
    if (dual_solver_->descends()) gap = report.gap;
  }
  round_rows_to_ball<T>(state.dual);
  return gap;
}

template <class T>
void Stepper<T>::follow_sums(FitState& state) {
  prepare_dual(state.moments, interrupt_);
  move_dual(state, effort_of(control_.options(), Visit::kAll, true));
}

template <class T>
void Stepper<T>::prepare_dual(const Moments& moments, const Interrupt& interrupt) {
  dual_solver_.emplace(moments, kEigenvalueCut<T>, pool_, interrupt);
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace dualdict
