// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "learn/atoms.h"
#include "learn/code_pass.h"
#include "learn/initialise.h"
#include "learn/online_state.h"
#include "learn/tau.h"
#include "linalg/vectors.h"
#include "solvers/dictionary_step.h"
#include "solvers/dual_step.h"
#include "solvers/projection.h"

namespace dualdict {
namespace {

// The n-th of N samples weighs (n/N)^4: E of later blocks falls faster than with slower fading, and the sums still
// stand for more than a third of all samples.
constexpr double kFading = 4;

// total = share * total + part
void fade_and_add(double share, const Matrix<double>& part, Matrix<double>& total) {
  if (total.empty()) total = Matrix<double>(part.rows(), part.cols());
  for (std::size_t i = 0; i < part.size(); ++i) total.data()[i] = share * total.data()[i] + part.data()[i];
}

// The dictionary of a first block that has fewer samples than there are atoms: mixtures of few samples are all alike,
// so the rest are random directions, which the samples to come will shape or replace.
void fill_with_directions(std::size_t first, bool positive, Random& random, Matrix<double>& dictionary) {
  for (std::size_t i = first; i < dictionary.rows(); ++i) {
    double* row = dictionary.row(i);
    for (std::size_t j = 0; j < dictionary.cols(); ++j) row[j] = positive ? std::abs(random.normal()) : random.normal();
    const double length = norm(row, dictionary.cols());
    for (std::size_t j = 0; j < dictionary.cols(); ++j) row[j] /= length;
  }
}

template <class T>
void start(OnlineState& state, const Samples<T>& samples, ThreadPool& pool) {
  const LearnOptions& options = state.options;
  Objective& objective = state.objective;
  objective.n_features = samples.n_features();
  objective.n_atoms = options.n_atoms;
  objective.eta = resolve_eta(options, objective.n_features);
  objective.mu = options.mu;
  objective.positive_codes = options.positive_codes;
  objective.positive_dictionary = options.positive_dictionary;
  Random random(options.seed);
  state.dictionary = options.initial_dictionary;
  if (state.dictionary.empty()) {
    state.dictionary = initial_dictionary(samples, options.n_atoms, options.positive_dictionary, random);
    fill_with_directions(samples.n_samples(), options.positive_dictionary, random, state.dictionary);
  }
  if (options.positive_dictionary) project_rows(state.dictionary, true);
  state.dual = options.initial_dual.empty() ? state.dictionary : options.initial_dual;
  round_rows_to_ball<T>(state.dictionary);
  round_rows_to_ball<T>(state.dual);
  state.usage.assign(options.n_atoms, 0.0);
  CodeProblem<T> problem;
  problem.assign(objective, state.dictionary, state.dual, pool);
  const SilencingTau silencing = silencing_tau(problem, samples, pool);
  if (options.tau)
    objective.tau = *options.tau;
  else if (options.nonzeros && silencing.largest > 0)
    objective.tau =
        TauSearch(*options.nonzeros).start(samples, objective, state.dictionary, state.dual, silencing.largest);
  else
    objective.tau = kDefaultTauFraction * silencing.mean;
}

// The count falls a little more slowly than tau rises: this overshoots little, and blocks keep coming.
void move_tau(OnlineState& state, double nonzeros_per_code) {
  if (state.options.tau || !state.options.nonzeros) return;
  const double ratio = nonzeros_per_code / *state.options.nonzeros;
  if (std::abs(ratio - 1) > 0.02) state.objective.tau *= std::clamp(ratio, 0.5, 2.0);
}

// Every sample so far has the same chance to be among the kept ones (reservoir sampling).
template <class T>
void keep_some(OnlineState& state, const Samples<T>& samples) {
  const std::size_t d = samples.n_features();
  const std::size_t n_new = samples.n_samples();
  Random random(state.options.seed, 1000 + state.n_updates);
  const std::size_t room = std::min(n_new, kKeptSamples - std::min(kKeptSamples, state.kept.rows()));
  if (room > 0) {
    Matrix<double> larger(state.kept.rows() + room, d);
    std::copy_n(state.kept.data(), state.kept.size(), larger.data());
    state.kept = std::move(larger);
  }
  const std::size_t n_filled = state.kept.rows() - room;
  for (std::size_t i = 0; i < n_new; ++i) {
    const std::size_t place = i < room ? n_filled + i : random.index(state.n_samples + i + 1);
    if (place < state.kept.rows()) std::copy_n(samples.x.row(i), d, state.kept.row(place));
  }
}

// Never used so far: replaced by what this block reconstructs worst. Counts the uses of the block in the end.
template <class T>
void replace_unused(OnlineState& state, const Samples<T>& samples, ThreadPool& pool, CodeStore<T>& codes,
                    Moments& moments) {
  const auto count_uses = [&](auto& uses) {
    Matrix<T> buffer;
    for (std::size_t block = 0; block < codes.n_blocks(); ++block) {
      const MatrixView<const T> rows = codes.read_block(block, buffer);
      for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows.cols; ++j)
          if (rows(i, j) != T{0}) ++uses[j];
    }
  };
  std::vector<std::size_t> uses(state.usage.begin(), state.usage.end());
  count_uses(uses);
  if (state.options.replace_below > 0 && !state.options.keep_dictionary && moments.sum_abs_codes > 0)
    state.replaced_atoms += AtomReplacer(state.options.n_atoms, state.options.replace_below)
                                .replace(samples, state.objective, uses, pool, codes, state.dictionary, moments);
  count_uses(state.usage);
}

}  // namespace

void fade_and_add(double share, const Moments& part, Moments& total) {
  fade_and_add(share, part.uu, total.uu);
  fade_and_add(share, part.ux, total.ux);
  fade_and_add(share, part.xx, total.xx);
  total.squared_samples = share * total.squared_samples + part.squared_samples;
  total.sum_abs_codes = share * total.sum_abs_codes + part.sum_abs_codes;
}

std::size_t online_piece(std::size_t n_features) {
  return std::max<std::size_t>(1024, 8 * n_features);
}

template <class T>
OnlineStepReport online_step(OnlineState& state, const Samples<T>& samples, ThreadPool& pool,
                             const OnlineStepOptions& how) {
  if (state.dictionary.empty()) start(state, samples, pool);
  const std::size_t n = samples.n_samples();
  const LearnOptions& options = state.options;

  CodeProblem<T> problem;
  problem.assign(state.objective, state.dictionary, state.dual, pool);
  CodeOptions code_options;
  code_options.tolerance = options.inner_tolerance;
  code_options.max_sweeps = 1000;
  CodeStore<T> codes(n, options.n_atoms);
  Moments moments;
  moments.uu = Matrix<double>(options.n_atoms, options.n_atoms);
  moments.ux = Matrix<double>(options.n_atoms, samples.n_features());
  moments.xx = second_moments(samples, pool, Interrupt(nullptr));
  moments.squared_samples = samples.squared;
  const PassReport pass = CodePass<T>(samples, options.n_atoms, pool, Interrupt(nullptr))
                              .run(problem, code_options, {0, n}, codes, moments);
  OnlineStepReport report;
  report.nonzeros_per_code = static_cast<double>(pass.codes.nonzeros) / static_cast<double>(n);
  report.energy_after_codes = energy_from_moments(state.objective, moments, state.dictionary, state.dual, pool).total();
  const std::size_t replaced_before = state.replaced_atoms;
  replace_unused(state, samples, pool, codes, moments);
  report.replaced_atoms = state.replaced_atoms - replaced_before;

  const auto n_before = static_cast<double>(state.n_samples);
  if (how.new_samples) {
    keep_some(state, samples);
    state.n_samples += n;
    state.sum_norms += samples.mean_norm * static_cast<double>(n);
  }
  ++state.n_updates;
  how.add(moments, std::pow(n_before / static_cast<double>(state.n_samples), kFading), state.moments);

  DictionaryStepOptions step_options;
  step_options.pool = &pool;
  if (!options.keep_dictionary) {
    dictionary_step_fast(state.objective, state.moments, step_options, state.dictionary);
    round_rows_to_ball<T>(state.dictionary);
  }
  if (how.dual) online_dual_step<T>(state);
  report.energy = energy_from_moments(state.objective, moments, state.dictionary, state.dual, pool);
  move_tau(state, report.nonzeros_per_code);
  return report;
}

template <class T>
void online_dual_step(OnlineState& state) {
  DualSolver(state.moments.xx, kEigenvalueCut<T>).step(state.objective, state.moments, state.dual);
  round_rows_to_ball<T>(state.dual);
}

template OnlineStepReport online_step<float>(OnlineState&, const Samples<float>&, ThreadPool&,
                                             const OnlineStepOptions&);
template OnlineStepReport online_step<double>(OnlineState&, const Samples<double>&, ThreadPool&,
                                              const OnlineStepOptions&);
template void online_dual_step<float>(OnlineState&);
template void online_dual_step<double>(OnlineState&);

}  // namespace dualdict
