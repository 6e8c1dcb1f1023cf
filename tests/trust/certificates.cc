// SPDX-License-Identifier: BSD-3-Clause
// P10, P11, P12: on random problems no step raises E, saved rows lie in the ball, and gaps bound what is missing.
#include <algorithm>
#include <cmath>

#include "dualdict/verify.h"
#include "io/temporary_folder.h"
#include "learn/fit_case.h"
#include "solvers/code_case.h"
#include "solvers/dictionary_step.h"
#include "solvers/dual_step.h"
#include "solvers/moment_case.h"
#include "trust/long_forms.h"

namespace dualdict {
namespace {

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

struct RandomFit {
  Matrix<double> samples;
  LearnOptions options;
  std::string name;
};

// Every solver, precision and rule on the signs; sizes and weights are drawn.
RandomFit random_fit(std::size_t i) {
  Random random(i, 10);
  const std::size_t n = 20 + random.index(400);
  const std::size_t d = 2 + random.index(14);
  const std::size_t k = 3 + random.index(22);
  RandomFit one;
  one.samples = i % 3 == 0 ? random_samples(n, d, i + 1) : planted_samples(n, d, k, i + 1);
  one.options =
      small_options(k, std::pow(10.0, between(random, -2.5, -0.3)), i % 2 == 0 ? Solver::kFast : Solver::kFista,
                    i / 2 % 2 == 0 ? DType::kFloat32 : DType::kFloat64);
  one.options.eta = i % 4 == 3 ? 0.0 : std::pow(10.0, between(random, -3, 1));
  one.options.mu = i % 6 == 5 ? 0.1 : 0.0;
  one.options.positive_codes = i % 5 == 4;
  one.options.positive_dictionary = i % 7 == 6;
  one.options.max_iterations = 12;
  one.options.seed = i;
  one.options.n_threads = 1;
  one.name = "problem " + std::to_string(i) + ", " + describe(one.options);
  return one;
}

Objective random_objective(Random& random, std::size_t i, std::size_t d, std::size_t k) {
  Objective objective;
  objective.n_features = d;
  objective.n_atoms = k;
  objective.eta = i % 4 == 3 ? 0.0 : std::pow(10.0, between(random, -3, 1));
  objective.mu = i % 6 == 5 ? 0.1 : 0.0;
  objective.positive_codes = i % 5 == 4;
  objective.atoms.positive = i % 7 == 6;
  const double scale = static_cast<double>(k) / static_cast<double>(d);
  objective.tau = i % 10 == 0 ? 0.0 : scale * std::pow(10.0, between(random, -3, 0));
  return objective;
}

// How far the gap is below what the codes lack, relative to E; at most rounding where the certificate is true.
template <class T>
double code_shortfall(const CodeCase& one, const CodeOptions& options) {
  CodeReport report;
  const Matrix<double> u = one.codes<T>(report, options);
  const Matrix<double> best = naive_codes(one.objective, one.dictionary, one.dual, one.samples, 1e-14, 20000);
  const double energy = one.energy(u);
  return (energy - one.energy(best) - report.gap) / energy;
}

double dictionary_shortfall(MomentCase one, std::size_t effort, bool fast) {
  MomentCase best = one;
  const double scale = one.energy().total();
  dictionary_step_fista(best.objective, best.moments, {1e-12 * scale, 0, 20000}, best.dictionary);
  const DictionaryStepOptions budget{0, effort, fast ? 0 : effort};
  const StepReport report =
      (fast ? dictionary_step_fast : dictionary_step_fista)(one.objective, one.moments, budget, one.dictionary);
  return (one.energy().total() - best.energy().total() - report.gap) / scale;
}

double dual_shortfall(MomentCase one, std::size_t effort) {
  MomentCase best = one;
  const double scale = one.energy().total();
  const StepReport exact = DualSolver(best.moments.xx, 1e-12).step(best.objective, best.moments, best.dual);
  const StepReport report = dual_step_fista(one.objective, one.moments, 0, effort, one.dual);
  const double least = std::min(best.energy().total(), one.energy().total());
  return std::max(one.energy().total() - least - report.gap, best.energy().total() - least - exact.gap) / scale;
}

}  // namespace

void no_step_raises_energy(Tally& tally) {
  for (std::size_t i = 0; i < 200; ++i) {
    if (!tally.next()) continue;
    const RandomFit one = random_fit(i);
    const LearnResult result = fit(one.samples, one.options);
    const double slack = 1 + rise_tolerance(one.options.dtype);
    double previous = INFINITY;
    for (const IterationRecord& record : result.summary.iterations) {
      const std::string where = one.name + ", iteration " + std::to_string(record.iteration);
      const bool replaced = record.replaced_atoms != 0;
      const double total = record.energy.total();
      tally.add(record.energy_after_codes <= record.energy_before_codes * slack, where + ": codes");
      if (!replaced)
        tally.add(record.energy_after_dictionary <= record.energy_after_codes * slack, where + ": dictionary");
      tally.add(total <= record.energy_after_dictionary * slack, where + ": dual");
      if (!replaced) tally.add(total <= previous * slack, where + ": all");
      previous = total;
    }
  }
}

void saved_rows_in_the_ball(Tally& tally) {
  const TemporaryFolder folder;
  for (std::size_t i = 0; i < 200; ++i) {
    if (!tally.next()) continue;
    const RandomFit one = random_fit(i);
    fit(one.samples, one.options).model.save(folder.path("m"));
    const Model model = Model::load(folder.path("m"));
    const double ball = 1 + ball_tolerance(one.options.dtype);
    for (const Matrix<double>* rows : {&model.dictionary(), &model.dual()})
      for (std::size_t row = 0; row < rows->rows(); ++row)
        tally.add(norm(rows->row(row), rows->cols()) <= ball, one.name + ", row " + std::to_string(row));
  }
}

void gaps_bound_what_is_missing(Tally& tally) {
  for (std::size_t i = 0; i < 500; ++i) {
    if (!tally.next()) continue;
    Random random(i, 12);
    const std::size_t n = 1 + random.index(12);
    const std::size_t d = 1 + random.index(16);
    const std::size_t k = 1 + random.index(24);
    const std::size_t effort = 1 + random.index(20);
    CodeCase codes(n, d, k, i);
    codes.objective = random_objective(random, i, d, k);
    const CodeOptions options{.method = i % 2 == 0 ? CodeMethod::kDescent : CodeMethod::kFista,
                              .tolerance = 1e-4,
                              .max_sweeps = effort,
                              .active_set = i % 3 == 0};
    const bool is_float = i / 2 % 2 == 0;
    const double code = is_float ? code_shortfall<float>(codes, options) : code_shortfall<double>(codes, options);
    MomentCase rows(5 + random.index(60), d, k, i);
    rows.objective = codes.objective;
    if (rows.objective.eta == 0) rows.objective.eta = 1;  // without it C is not in E
    if (rows.objective.atoms.positive)
      for (std::size_t e = 0; e < rows.dictionary.size(); ++e)
        rows.dictionary.data()[e] = std::abs(rows.dictionary.data()[e]);
    const double dictionary = dictionary_shortfall(rows, effort, i % 2 == 0);
    const double dual = dual_shortfall(rows, effort);
    tally.add(code <= 4 * (is_float ? Tolerance<float>::kEpsilon : 1e-13) && dictionary <= 1e-11 && dual <= 1e-11,
              "problem " + std::to_string(i) + ": codes " + std::to_string(code * 1e9) + "e-9, dictionary " +
                  std::to_string(dictionary * 1e9) + "e-9, dual " + std::to_string(dual * 1e9) + "e-9");
  }
}

void verify_agrees(Tally& tally) {
  for (std::size_t i = 0; i < 200; ++i) {
    if (!tally.next()) continue;
    const RandomFit one = random_fit(i);
    const LearnResult result = fit(one.samples, one.options);
    const LearnSummary& said = result.summary;
    const Verification found = verify(result.model, *make_source(one.samples.view()), 1);
    const double excess = (said.energy.total() - found.energy.total()) / found.energy.total();
    const double ball = std::max(found.max_atom_norm, found.max_filter_norm);
    const double norms = std::max(largest_row_norm(result.model.dictionary()), largest_row_norm(result.model.dual()));
    // The learner's codes may be as far from the optimum as its certificate says, and no farther.
    tally.add(excess >= -1e-6 && excess <= said.duality_gap + 1e-6 && std::abs(ball - norms) <= 1e-6 &&
                  std::abs(found.tau_max - said.tau_max) <= 1e-6 * found.tau_max,
              one.name + ": excess " + std::to_string(excess * 1e6) + "e-6, gap " +
                  std::to_string(said.duality_gap * 1e6) + "e-6");
  }
}

}  // namespace dualdict
