// SPDX-License-Identifier: BSD-3-Clause
#include "model/table/baselines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "linalg/parallel_product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace dualdict {

ThresholdBaseline fit_threshold_baseline(const Matrix<double>& responses, const Matrix<double>& codes, double nonzeros,
                                         bool positive) {
  ThresholdBaseline baseline;
  std::vector<double> magnitudes(responses.size());
  for (std::size_t i = 0; i < magnitudes.size(); ++i)
    magnitudes[i] = positive ? std::max(responses.data()[i], 0.0) : std::abs(responses.data()[i]);
  // The wanted number of largest ones lies strictly above the next.
  const auto kept = static_cast<std::size_t>(std::llround(nonzeros * static_cast<double>(responses.rows())));
  if (kept < magnitudes.size()) {
    const auto next = magnitudes.begin() + static_cast<std::ptrdiff_t>(kept);
    std::nth_element(magnitudes.begin(), next, magnitudes.end(), std::greater<>());
    baseline.threshold = *next;
  }
  double match = 0;
  double length = 0;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const double value = soft_threshold(responses.data()[i], baseline.threshold, positive);
    match += value * codes.data()[i];
    length += value * value;
  }
  baseline.gain = length > 0 ? std::max(0.0, match / length) : 0.0;
  return baseline;
}

void apply_threshold_baseline(const ThresholdBaseline& baseline, bool positive, Matrix<double>& responses) {
  for (std::size_t i = 0; i < responses.size(); ++i)
    responses.data()[i] = baseline.gain * soft_threshold(responses.data()[i], baseline.threshold, positive);
}

namespace {

void subtract_row(const std::vector<double>& row, Matrix<double>& from) {
  for (std::size_t i = 0; i < from.rows(); ++i)
    for (std::size_t j = 0; j < from.cols(); ++j) from(i, j) -= row[j];
}

}  // namespace

double pca_error(MatrixView<const double> fit, MatrixView<const double> measured, std::size_t n_components,
                 ThreadPool& pool) {
  const std::size_t d = fit.cols;
  std::vector<double> mean(d, 0.0);
  for (std::size_t i = 0; i < fit.rows; ++i)
    for (std::size_t j = 0; j < d; ++j) mean[j] += fit(i, j) / static_cast<double>(fit.rows);
  Matrix<double> centred = convert<double>(fit);
  subtract_row(mean, centred);
  Matrix<double> covariance(d, d);
  add_transposed_product(centred.view(), centred.view(), covariance.view(), pool);
  const SymmetricEigen eigen = symmetric_eigen(covariance);
  const std::size_t n = std::min(n_components, d);
  const MatrixView<const double> components = eigen.vectors.view().row_range(d - n, n);
  double squared_samples = 0;
  for (std::size_t i = 0; i < measured.rows; ++i) squared_samples += squared_norm(measured.row(i), d);
  if (!(squared_samples > 0)) return 0;
  Matrix<double> rest = convert<double>(measured);
  subtract_row(mean, rest);
  const Matrix<double> scores = parallel_multiply_transposed(rest.view(), components, pool);
  return std::sqrt(std::max(0.0, squared_norm(rest) - squared_norm(scores)) / squared_samples);
}

}  // namespace dualdict
