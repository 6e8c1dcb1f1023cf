// SPDX-License-Identifier: BSD-3-Clause
// The end of a fit: exact codes for the final D and C, what they measure, the encoders, the model.
#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "core/random.h"
#include "dualdict/error.h"
#include "dualdict/version.h"
#include "learn/given_options.h"
#include "learn/initialise.h"
#include "learn/learner.h"
#include "learn/measure.h"
#include "learn/result_size.h"
#include "learn/sample_order.h"
#include "linalg/vectors.h"
#include "model/fit_encoders.h"
#include "model/table/advice.h"

namespace dualdict {
namespace {

// The codes that are reported are as exact as the precision allows.
template <class T>
constexpr double kFinalTolerance = std::is_same_v<T, float> ? 1e-5 : 1e-9;
// Without coding term and with atoms close to each other descent is slow; double asks for ten digits of E.
template <class T>
constexpr std::size_t kFinalSweeps = std::is_same_v<T, float> ? 2000 : 20000;

// With eta = 0 a dual that is not solved for in closed form ends with this gap, relative to 1/K |U|^2.
constexpr double kDualGap = 1e-6;
constexpr std::size_t kDualIterations = 300;

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

}  // namespace

template <class T>
void Learner<T>::measure_result() {
  if (dictionary_.empty())  // interrupted before there was a start
    throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
  pass_.reset();  // the exact one has a working space of its own
  const bool interrupted = summary_.outcome == Outcome::kInterrupted || !code_exactly();
  summary_.energy = measure_energy(samples_, objective_, dictionary_, dual_, codes_, pool_);
  const double total = summary_.energy.total();
  if (interrupted) {
    summary_.duality_gap = summary_.iterations.empty() ? 1.0 : summary_.iterations.back().duality_gap;
  } else if (total > 0) {
    summary_.duality_gap /= total;
  }
  auto nonzeros = static_cast<double>(codes_.n_nonzeros());
  ranks_.sum(std::span(&nonzeros, 1));
  summary_.nonzeros_per_code = nonzeros / static_cast<double>(samples_.n_all());
  summary_.tau = objective_.tau;
  summary_.coding_weight = objective_.eta * objective_.d() / objective_.k();
  summary_.threshold = objective_.tau * objective_.d() / objective_.k();
  summary_.dead_atoms = count_dead(usage_);
}

template <class T>
bool Learner<T>::code_exactly() {
  say("coding every sample exactly");
  problem_.assign(objective_, dictionary_, dual_, pool_);
  CodeOptions options;
  options.tolerance = std::min(kFinalTolerance<T>, options_.inner_tolerance);
  options.max_sweeps = kFinalSweeps<T>;
  const Interrupt interrupt(context_.hooks.interrupt);
  CodePass<T> pass(samples_, objective_.n_atoms, pool_, interrupt);
  try {
    const PassReport report = code({0, samples_.n_all()}, options, pass);
    usage_ = report.usage;
    summary_.max_kkt_residual = report.codes.max_kkt;
    ranks_.max(std::span(&summary_.max_kkt_residual, 1));
    summary_.tau_max = report.codes.strongest_pull * objective_.k();
    ranks_.max(std::span(&summary_.tau_max, 1));
    summary_.duality_gap = report.codes.gap;
  } catch (const Interrupted&) {
    summary_.message = "interrupted before every sample was coded exactly, after " +
                       std::to_string(summary_.iterations.size()) + " iterations; " + summary_.message;
    summary_.outcome = Outcome::kInterrupted;
    return false;
  }
  if (objective_.eta == 0) {
    prepare_dual_step(Interrupt(nullptr));
    double squared_codes = 0;
    for (std::size_t k = 0; k < objective_.n_atoms; ++k) squared_codes += moments_.uu(k, k);
    const DescentLimits limits{kDualGap * squared_codes / objective_.k(), kDualIterations, nullptr};
    dual_solver_->step(objective_, moments_, dual_, limits, pool_);
    round_rows_to_ball<T>(dual_);
  }
  return true;
}

template <class T>
void Learner<T>::fit_encoders(ModelParts& parts) {
  say("fitting the encoders and measuring them");
  const bool hasty = summary_.outcome == Outcome::kInterrupted;
  const std::size_t n_measured =
      measure_samples(objective_.n_atoms, objective_.n_features) / (hasty ? kHasteDivisor : 1);
  const std::size_t n = samples_.n_all();
  Random random(options_.seed, 1);
  const SampleOrder order(n, random);
  Matrix<T> held_out;
  const bool unseen = context_.validation != nullptr;
  if (unseen) {
    ranks_.attempt([&] {
      held_out =
          read_samples<T>(*context_.validation, transform_, 0, std::min(n_measured, context_.validation->n_samples()));
    });
  } else {
    const std::size_t count = n < 100 ? 0 : std::min(n_measured, n / 4);
    held_out = gather(samples_, order, n - count, count);
  }
  const std::size_t n_fit =
      std::min(fit_samples(objective_.n_features) / (hasty ? kHasteDivisor : 1), unseen ? n : n - held_out.rows());
  const Matrix<T> fit = gather(samples_, order, 0, n_fit);
  // All are exact unless there was haste; those of other ranks are not at hand.
  const Matrix<T> fit_codes = hasty || !samples_.alone() ? Matrix<T>() : gather_codes(codes_, order, n_fit);
  codes_ = {};  // not needed any more
  const Interrupt interrupt(context_.hooks.interrupt, kEncoderPatience);
  double interrupted = 0;
  ranks_.together([&] {
    const EncoderSamples<T> samples{fit.view(), held_out.view(), unseen, fit_codes.view()};
    if (ranks_.rank() == 0 && !fit_and_measure_encoders<T>(parts, samples, {pool_.size(), &interrupt})) interrupted = 1;
  });
  ranks_.max(std::span(&interrupted, 1));
  if (interrupted == 0) return;
  summary_.message = "interrupted before the encoders were fitted and measured; " + summary_.message;
  summary_.outcome = Outcome::kInterrupted;
}

template <class T>
LearnResult Learner<T>::make_result() {
  ModelParts parts;
  parts.dtype = options_.dtype;
  parts.dictionary = dictionary_;
  parts.dual = dual_;
  parts.transform = transform_;
  parts.shape = data_.sample_shape();
  parts.mean_norm = samples_.mean_norm > 0 ? samples_.mean_norm : 1.0;
  parts.tau = objective_.tau;
  parts.eta = objective_.eta;
  parts.mu = objective_.mu;
  parts.positive_codes = objective_.positive_codes;
  fit_encoders(parts);
  summary_.advice =
      advice_on(parts.provenance.encoding, objective_.n_atoms, objective_.n_features, summary_.coding_weight);
  if (!summary_.advice.empty()) say(summary_.advice);
  summary_.seconds = seconds();
  summary_.n_iterations = summary_.iterations.size();
  summary_.given = without_matrices(options_);
  summary_.used = summary_.given;
  summary_.used.tau = objective_.tau;
  summary_.used.eta = objective_.eta;
  summary_.used.n_threads = pool_.size();
  parts.provenance.version = DUALDICT_VERSION;
  parts.provenance.data_name = data_.name();
  parts.provenance.data_fingerprint = samples_.fingerprint;
  parts.provenance.usage = usage_;
  parts.provenance.summary = summary_;
  parts.provenance.summary.iterations.clear();
  return LearnResult{Model(std::move(parts)), std::move(summary_)};
}

template class Learner<float>;
template class Learner<double>;

}  // namespace dualdict
