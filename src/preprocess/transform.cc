// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "core/finite.h"
#include "dualdict/error.h"
#include "dualdict/preprocess.h"

namespace dualdict {
namespace {

// Rows read at a time when means are measured. Part of the definition of the sum: another size gives other bits.
constexpr std::size_t kFitBlock = 4096;

void check_scale(double scale) {
  if (std::isfinite(scale) && scale > 0) return;
  std::ostringstream text;
  text << "--scale is " << scale << "; every value is divided by it, so it must be a finite number > 0";
  throw Error(ErrorKind::kUsage, text.str());
}

void check_width(std::size_t n_features, std::size_t n_means) {
  if (n_means == 0 || n_means == n_features) return;
  throw Error(ErrorKind::kInput, "the samples have " + std::to_string(n_features) +
                                     " features, the preprocessing was fitted on " + std::to_string(n_means));
}

// The values of one row after scale and feature means, in double; reading it does not change the row.
template <class T>
class ScaledRow {
 public:
  ScaledRow(const T* row, std::size_t size, double scale, const std::vector<double>& means)
      : row_(row), size_(size), scale_(scale), means_(means.empty() ? nullptr : means.data()) {}

  std::size_t size() const { return size_; }
  double operator[](std::size_t j) const {
    const double value = static_cast<double>(row_[j]) / scale_;
    return means_ == nullptr ? value : value - means_[j];
  }

 private:
  const T* row_;
  std::size_t size_;
  double scale_;
  const double* means_;
};

// Twice, the second time of what the first left over: then a constant row gives exactly its value, becomes exactly
// zero when centred, and no rounding error is blown up to unit norm.
template <class T>
double mean(const ScaledRow<T>& row) {
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) sum += row[j];
  const double first = sum / static_cast<double>(row.size());
  double rest = 0;
  for (std::size_t j = 0; j < row.size(); ++j) rest += row[j] - first;
  return first + rest / static_cast<double>(row.size());
}

// Relative to the largest value, so that no square overflows or vanishes.
template <class T>
double norm(const ScaledRow<T>& row, double center) {
  double largest = 0;
  for (std::size_t j = 0; j < row.size(); ++j) largest = std::max(largest, std::abs(row[j] - center));
  if (largest == 0) return 0;
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double value = (row[j] - center) / largest;
    sum += value * value;
  }
  return largest * std::sqrt(sum);
}

template <class T>
void apply_rows(const PreprocessOptions& options, const std::vector<double>& means, MatrixView<T> samples) {
  check_width(samples.cols, means.size());
  for (std::size_t i = 0; i < samples.rows; ++i) {
    T* out = samples.row(i);
    const ScaledRow<T> row(out, samples.cols, options.scale, means);
    const double center = options.center_samples && samples.cols > 0 ? mean(row) : 0.0;
    const double length = options.unit_norm ? norm(row, center) : 1.0;
    const double divisor = length > 0 ? length : 1.0;
    for (std::size_t j = 0; j < samples.cols; ++j) out[j] = static_cast<T>((row[j] - center) / divisor);
  }
}

template <class T>
void invert_rows(const PreprocessOptions& options, const std::vector<double>& means, MatrixView<T> samples) {
  check_width(samples.cols, means.size());
  for (std::size_t i = 0; i < samples.rows; ++i) {
    T* row = samples.row(i);
    for (std::size_t j = 0; j < samples.cols; ++j) {
      const double value = static_cast<double>(row[j]) + (means.empty() ? 0.0 : means[j]);
      row[j] = static_cast<T>(value * options.scale);
    }
  }
}

}  // namespace

Transform::Transform(const PreprocessOptions& options, std::vector<double> feature_means)
    : options_(options), feature_means_(std::move(feature_means)) {
  check_scale(options_.scale);
  if (options_.center_features == feature_means_.empty())
    throw Error(ErrorKind::kInput, "preprocessing that " +
                                       std::string(options_.center_features ? "centres" : "does not centre") +
                                       " features was given " + std::to_string(feature_means_.size()) +
                                       " feature means; it must have one per feature, or none without centring");
  require_finite(MatrixView<const double>(feature_means_.data(), 1, feature_means_.size()), "feature means");
}

Transform Transform::fit(const PreprocessOptions& options, const DataSource& data) {
  check_scale(options.scale);
  if (!options.center_features) return Transform(options, {});
  const std::size_t n_samples = data.n_samples();
  if (n_samples == 0) throw Error(ErrorKind::kInput, data.name() + ": has no samples, the mean needs at least one");
  std::vector<double> means(data.n_features(), 0.0);
  std::vector<double> block_sum(data.n_features());
  Matrix<double> block(std::min(kFitBlock, n_samples), data.n_features());
  for (std::size_t first = 0; first < n_samples; first += kFitBlock) {
    const MatrixView<double> rows = block.view().row_range(0, std::min(kFitBlock, n_samples - first));
    data.read(first, rows);
    require_finite(MatrixView<const double>(rows), data.name(), first);
    std::fill(block_sum.begin(), block_sum.end(), 0.0);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t j = 0; j < rows.cols; ++j) block_sum[j] += rows(i, j);
    for (std::size_t j = 0; j < means.size(); ++j) means[j] += block_sum[j];
  }
  for (double& value : means) value = value / static_cast<double>(n_samples) / options.scale;
  return Transform(options, std::move(means));
}

bool Transform::is_identity() const {
  return options_ == PreprocessOptions{};
}

void Transform::apply(MatrixView<float> samples) const {
  if (!is_identity()) apply_rows(options_, feature_means_, samples);
}
void Transform::apply(MatrixView<double> samples) const {
  if (!is_identity()) apply_rows(options_, feature_means_, samples);
}

void Transform::invert(MatrixView<float> samples) const {
  if (!is_identity()) invert_rows(options_, feature_means_, samples);
}
void Transform::invert(MatrixView<double> samples) const {
  if (!is_identity()) invert_rows(options_, feature_means_, samples);
}

}  // namespace dualdict
