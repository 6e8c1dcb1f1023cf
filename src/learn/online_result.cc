// SPDX-License-Identifier: BSD-3-Clause
// The model of an online learner: its D and C, with all that is measured or fitted taken from the kept samples.
#include <algorithm>

#include "dualdict/version.h"
#include "learn/code_pass.h"
#include "learn/given_options.h"
#include "learn/measure.h"
#include "learn/online_state.h"
#include "learn/result_size.h"
#include "linalg/vectors.h"
#include "model/fit_encoders.h"
#include "model/table/advice.h"

namespace dualdict {
namespace {

// Exact codes of the kept samples, and what they say.
template <class T>
void measure(const OnlineState& state, const Samples<T>& samples, ThreadPool& pool, const Interrupt& interrupt,
             LearnSummary& summary) {
  CodeProblem<T> problem;
  problem.assign(state.objective, state.dictionary, state.dual, pool);
  CodeOptions options;
  options.tolerance = std::min(1e-5, state.options.inner_tolerance);
  options.max_sweeps = 2000;
  CodeStore<T> codes(samples.n_samples(), state.options.n_atoms);
  Moments moments = state.moments;
  const PassReport pass = CodePass<T>(samples, state.options.n_atoms, pool, interrupt)
                              .run(problem, options, {0, codes.rows()}, codes, moments);
  summary.energy = measure_energy(samples, state.objective, state.dictionary, state.dual, codes, pool);
  summary.nonzeros_per_code = static_cast<double>(pass.codes.nonzeros) / static_cast<double>(codes.rows());
  summary.duality_gap = summary.energy.total() > 0 ? pass.codes.gap / summary.energy.total() : 0.0;
  summary.max_kkt_residual = pass.codes.max_kkt;
  summary.tau_max = pass.codes.strongest_pull * state.objective.k();
}

// They are in random order; in haste the first are enough.
template <class T>
Samples<T> kept_samples(const OnlineState& state, bool hasty) {
  const std::size_t n = hasty ? (state.kept.rows() + kHasteDivisor - 1) / kHasteDivisor : state.kept.rows();
  const auto source = make_source(state.kept.view().row_range(0, n));
  return load_samples<T>(*source, Transform(), Random(state.options.seed, 2), Interrupt(nullptr));
}

}  // namespace

template <class T>
LearnResult online_result(const OnlineState& state, ThreadPool& pool, const OnlineOrigin<T>& origin) {
  const Objective& objective = state.objective;
  const bool hasty = origin.outcome == Outcome::kInterrupted;
  Samples<T> samples = kept_samples<T>(state, hasty);
  LearnSummary summary;
  summary.outcome = origin.outcome;
  try {
    measure(state, samples, pool, Interrupt(hasty ? nullptr : origin.interrupt), summary);
  } catch (const Interrupted&) {
    summary.outcome = Outcome::kInterrupted;
    samples = kept_samples<T>(state, true);
    measure(state, samples, pool, Interrupt(nullptr), summary);
  }
  summary.message = "learned online from " + std::to_string(state.n_samples) + " samples in " +
                    std::to_string(state.n_updates) + " steps" +
                    (origin.n_passes > 1 ? " and " + std::to_string(origin.n_passes) + " passes" : "") +
                    "; energy and certificate are those of " + std::to_string(samples.n_samples()) + " of them";
  summary.seconds = origin.seconds;
  summary.n_iterations = state.n_updates;
  summary.n_samples = state.n_samples;
  summary.n_features = objective.n_features;
  summary.tau = objective.tau;
  summary.coding_weight = objective.eta * objective.d() / objective.k();
  summary.threshold = objective.tau * objective.d() / objective.k();
  summary.replaced_atoms = state.replaced_atoms;
  summary.dead_atoms = static_cast<std::size_t>(std::count(state.usage.begin(), state.usage.end(), 0.0));
  summary.given = without_matrices(state.options);
  summary.used = summary.given;
  summary.used.tau = objective.tau;
  summary.used.eta = objective.eta;
  summary.used.n_threads = pool.size();

  ModelParts parts;
  parts.dtype = state.options.dtype;
  parts.dictionary = state.dictionary;
  parts.dual = state.dual;
  parts.transform = Transform(state.preprocess, {});
  const double mean_norm = state.sum_norms / static_cast<double>(state.n_samples);
  parts.mean_norm = mean_norm > 0 ? mean_norm : 1.0;
  parts.tau = objective.tau;
  parts.eta = objective.eta;
  parts.mu = objective.mu;
  parts.positive_codes = objective.positive_codes;
  parts.shape = origin.shape;
  // They are in random order: the last quarter is as good as any to measure on.
  const std::size_t n = samples.n_samples();
  const bool unseen = !origin.held_out.empty();
  const std::size_t n_held_out = n < 100 || unseen ? 0 : n / 4;
  const MatrixView<const T> held_out =
      unseen ? origin.held_out.view() : samples.x.view().row_range(n - n_held_out, n_held_out);
  const Interrupt interrupt(origin.interrupt, kEncoderPatience);
  const EncoderSamples<T> encoder_samples{samples.x.view().row_range(0, n - n_held_out), held_out, unseen};
  if (!fit_and_measure_encoders<T>(parts, encoder_samples, {pool.size(), &interrupt}))
    summary.outcome = Outcome::kInterrupted;
  summary.advice = advice_on(parts.provenance.encoding, objective.n_atoms, objective.n_features, summary.coding_weight);
  parts.provenance.version = DUALDICT_VERSION;
  parts.provenance.data_name = origin.name;
  parts.provenance.data_fingerprint = samples.fingerprint;
  parts.provenance.usage.assign(state.usage.begin(), state.usage.end());
  parts.provenance.summary = summary;
  return LearnResult{Model(std::move(parts)), std::move(summary)};
}

template LearnResult online_result<float>(const OnlineState&, ThreadPool&, const OnlineOrigin<float>&);
template LearnResult online_result<double>(const OnlineState&, ThreadPool&, const OnlineOrigin<double>&);

}  // namespace dualdict
