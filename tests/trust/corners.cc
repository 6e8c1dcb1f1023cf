// SPDX-License-Identifier: BSD-3-Clause
// P9: every legal corner of data, shapes and weights ends with a defined result or is refused by name.
#include <array>
#include <cmath>

#include "dualdict/error.h"
#include "learn/corner_samples.h"
#include "learn/fit_case.h"
#include "trust/long_forms.h"

namespace dualdict {
namespace {

bool is_good(const LearnResult& result, DType dtype) {
  const LearnSummary& summary = result.summary;
  const double ball = 1 + ball_tolerance(dtype);
  return summary.outcome != Outcome::kNumericalFailure && all_finite(result.model.dictionary()) &&
         all_finite(result.model.dual()) && largest_row_norm(result.model.dictionary()) <= ball &&
         largest_row_norm(result.model.dual()) <= ball && std::isfinite(summary.energy.total()) &&
         std::isfinite(summary.duality_gap) && std::isfinite(summary.tau_max);
}

// The smallest tau that silences every sample under the first dictionary: found with one that is surely too large.
double silencing_tau(const Matrix<double>& samples, LearnOptions options) {
  double largest = 0;
  for (std::size_t i = 0; i < samples.rows(); ++i) largest = std::max(largest, norm(samples.row(i), samples.cols()));
  const double scale = static_cast<double>(options.n_atoms) / static_cast<double>(samples.cols());
  options.tau = (scale + resolve_eta(options, samples.cols())) * largest;
  options.max_iterations = 1;
  try {
    return fit(samples, options).summary.tau_max;
  } catch (const Error&) {
    return *options.tau;
  }
}

void run_corner(Tally& tally, const Matrix<double>& samples, LearnOptions options, const std::string& where) {
  try {
    tally.add(is_good(fit(samples, options), options.dtype), where);
  } catch (const Error& error) {
    // A refusal names its reason; a number that left its range is said to have done so.
    const bool named = error.kind() == ErrorKind::kInput || error.kind() == ErrorKind::kUsage;
    tally.add(named && std::string(error.what()).size() > 20, where + ": " + error.what());
  }
}

}  // namespace

void every_corner(Tally& tally) {
  constexpr std::array<double, 5> kTaus{0, 1e-30, 0.1, -1, 1e30};  // -1: tau_max
  constexpr std::array<double, 4> kEtas{0, 1e-12, 1, 1e12};
  for (const std::size_t d : {1U, 2U, 64U})
    for (const std::size_t n : {1U, 2U, 100U})
      for (std::size_t kind = 0; kind < static_cast<std::size_t>(CornerKind::kCount); ++kind) {
        const Matrix<double> samples = corner_samples(static_cast<CornerKind>(kind), n, d, 17, 1e-30);
        const std::array<std::size_t, 4> atoms{1, d, 4 * d, n + 5};
        for (const std::size_t k : atoms)
          for (const double tau : kTaus)
            for (const double eta : kEtas)
              for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
                if (!tally.next()) continue;
                LearnOptions options = small_options(k, tau, Solver::kFast, dtype);
                options.eta = eta;
                options.max_iterations = 3;
                options.n_threads = 1;
                if (tau < 0) options.tau = silencing_tau(samples, options);
                run_corner(tally, samples, options,
                           "kind " + std::to_string(kind) + ", N " + std::to_string(n) + ", d " + std::to_string(d) +
                               ", K " + std::to_string(k) + ", tau " + std::to_string(*options.tau) + ", " +
                               describe(options));
              }
      }
}

}  // namespace dualdict
