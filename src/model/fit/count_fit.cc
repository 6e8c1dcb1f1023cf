// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/count_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "model/fit/product_fit.h"
#include "model/fit/step_fit.h"

namespace dualdict {
namespace {

// The shift below which each response leads to a nonzero. Atoms that are switched off have none.
std::vector<double> entry_shifts(const ModelParts& parts, const FittedEncoder& encoder, const Matrix<double>& responses,
                                 const std::vector<double>& norms) {
  std::vector<double> shifts;
  shifts.reserve(responses.size());
  for (std::size_t i = 0; i < responses.rows(); ++i)
    for (std::size_t j = 0; j < responses.cols(); ++j) {
      if (!(encoder.gain[j] > 0) || !(encoder.tau_slope[j] > 0)) continue;
      const double v = responses(i, j);
      const double magnitude = parts.positive_codes ? std::max(v, 0.0) : std::abs(v);
      if (magnitude > 0)
        shifts.push_back((magnitude / (1 + encoder.growth[j] * norms[i]) - encoder.threshold[j]) /
                         encoder.tau_slope[j]);
    }
  return shifts;
}

}  // namespace

void set_count(const ModelParts& parts, MatrixView<const double> samples, MatrixView<const double> sparse_codes,
               double wanted, ThreadPool& pool, FittedEncoder& encoder) {
  if (samples.empty()) return;
  std::vector<double> shifts =
      entry_shifts(parts, encoder, responses_of(encoder, samples, sparse_codes, pool), relative_norms(parts, samples));
  const auto kept = static_cast<std::size_t>(std::llround(wanted * static_cast<double>(samples.rows)));
  if (shifts.empty()) return;
  const auto next = shifts.begin() + static_cast<std::ptrdiff_t>(std::min(kept, shifts.size() - 1));
  std::nth_element(shifts.begin(), next, shifts.end(), std::greater<>());
  const double shift = *next;
  if (!std::isfinite(shift)) return;
  for (std::size_t j = 0; j < encoder.threshold.size(); ++j)
    encoder.threshold[j] = std::max(0.0, encoder.threshold[j] + encoder.tau_slope[j] * shift);
}

}  // namespace dualdict
