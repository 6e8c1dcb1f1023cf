// SPDX-License-Identifier: BSD-3-Clause
#include "model/table/baselines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "linalg/parallel_product.h"
#include "linalg/symmetric.h"
#include "linalg/top_spectrum.h"
#include "linalg/vectors.h"
#include "solvers/code_step.h"

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

std::vector<double> mean_of(MatrixView<const double> samples) {
  std::vector<double> mean(samples.cols, 0.0);
  for (std::size_t i = 0; i < samples.rows; ++i)
    for (std::size_t j = 0; j < samples.cols; ++j) mean[j] += samples(i, j) / static_cast<double>(samples.rows);
  return mean;
}

void subtract_row(const std::vector<double>& row, Matrix<double>& from) {
  for (std::size_t i = 0; i < from.rows(); ++i)
    for (std::size_t j = 0; j < from.cols(); ++j) from(i, j) -= row[j];
}

// Orthonormal rows, the directions in which the samples, centred already, vary most last: all of them or, where there
// would be too many, the first.
Matrix<double> principal_directions(const Matrix<double>& centred, ThreadPool& pool) {
  const std::size_t d = centred.cols();
  if (d <= kWholeSpectrum) {
    Matrix<double> covariance(d, d);
    add_transposed_product(centred.view(), centred.view(), covariance.view(), pool);
    return symmetric_eigen(covariance).vectors;
  }
  constexpr std::size_t kMost = 256, kPasses = 6;
  const auto apply = [&](const Matrix<double>& m) {
    const Matrix<double> along = parallel_multiply_transposed(m.view(), centred.view(), pool);
    return parallel_product(along.view(), centred.view(), pool);
  };
  return top_spectrum(apply, d, std::min(kMost, centred.rows()), kPasses, pool).vectors;
}

}  // namespace

Basis pca_basis(MatrixView<const double> samples, ThreadPool& pool) {
  Basis basis;
  basis.origin = mean_of(samples);
  Matrix<double> centred = convert<double>(samples);
  subtract_row(basis.origin, centred);
  basis.vectors = principal_directions(centred, pool);
  return basis;
}

namespace {

// Rows are the orthonormal cosines of n points, the slowest first.
Matrix<double> cosines(std::size_t n) {
  const auto points = static_cast<double>(n);
  Matrix<double> rows(n, n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      rows(k, i) = std::sqrt((k == 0 ? 1 : 2) / points) *
                   std::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(i) + 0.5) / points);
  return rows;
}

}  // namespace

Basis dct_basis(std::size_t height, std::size_t width, std::size_t n_features) {
  Basis basis;
  if (height * width != n_features || n_features == 0 || n_features > kWholeSpectrum) return basis;
  const Matrix<double> down = cosines(height);
  const Matrix<double> across = cosines(width);
  basis.origin.assign(n_features, 0.0);
  basis.vectors = Matrix<double>(n_features, n_features);
  for (std::size_t v = 0; v < n_features; ++v)
    for (std::size_t f = 0; f < n_features; ++f)
      basis.vectors(v, f) = down(v / width, f / width) * across(v % width, f % width);
  return basis;
}

BasisErrors::BasisErrors(const Basis& basis, MatrixView<const double> samples, ThreadPool& pool, std::size_t n_vectors)
    : energy_(basis.vectors.rows(), 0.0), n_samples_(samples.rows) {
  Matrix<double> rest = convert<double>(samples);
  for (std::size_t i = 0; i < samples.rows; ++i) squared_samples_ += squared_norm(samples.row(i), samples.cols);
  subtract_row(basis.origin, rest);
  const Matrix<double> scores = parallel_multiply_transposed(rest.view(), basis.vectors.view(), pool);
  if (basis.vectors.rows() < samples.cols) outside_ = std::max(0.0, squared_norm(rest) - squared_norm(scores));
  removed_.reserve(scores.size() + 1);
  removed_.push_back(0);
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t j = 0; j < scores.cols(); ++j) {
      const double squared = scores(i, j) * scores(i, j);
      energy_[j] += squared;
      if (n_vectors >= scores.cols() || j >= scores.cols() - n_vectors)
        removed_.push_back(squared);
      else
        out_of_reach_ += squared;
    }
  std::sort(removed_.begin() + 1, removed_.end(), std::greater<>());
  for (std::size_t k = 1; k < removed_.size(); ++k) removed_[k] += removed_[k - 1];
}

double BasisErrors::leading(std::size_t n) const {
  double left = outside_;
  for (std::size_t j = 0; j + n < energy_.size(); ++j) left += energy_[j];
  return squared_samples_ > 0 ? std::sqrt(left / squared_samples_) : 0.0;
}

double BasisErrors::hard(double nonzeros) const {
  const double wanted = std::max(0.0, nonzeros) * static_cast<double>(n_samples_);
  const auto kept = static_cast<std::size_t>(std::min(wanted + 0.5, static_cast<double>(removed_.size() - 1)));
  return squared_samples_ > 0 ? std::sqrt((outside_ + out_of_reach_ + std::max(0.0, removed_.back() - removed_[kept])) /
                                          squared_samples_)
                              : 0.0;
}

SampleAtoms::SampleAtoms(MatrixView<const double> samples, std::size_t n_atoms, bool positive, ThreadPool& pool)
    : mean_(mean_of(samples)) {
  Matrix<double> atoms(std::min(n_atoms, samples.rows), samples.cols);
  for (std::size_t k = 0; k < atoms.rows(); ++k) {
    const double* sample = samples.row(k * samples.rows / atoms.rows());
    for (std::size_t f = 0; f < samples.cols; ++f) atoms(k, f) = sample[f] - mean_[f];
  }
  coder_.assign(atoms, {}, positive, pool);
}

double SampleAtoms::error(MatrixView<const double> samples, double nonzeros, ThreadPool& pool) const {
  Matrix<float> rest(samples.rows, samples.cols);
  double squared = 0;
  for (std::size_t i = 0; i < samples.rows; ++i)
    for (std::size_t f = 0; f < samples.cols; ++f) {
      squared += samples(i, f) * samples(i, f);
      rest(i, f) = static_cast<float>(samples(i, f) - mean_[f]);
    }
  const double price = coder_.price_for(rest, nonzeros, pool, samples.rows).price;
  std::vector<GreedyCodeReport> reports((samples.rows + kBlockSamples - 1) / kBlockSamples);
  pool.run(reports.size(), [&](std::size_t block, std::size_t) {
    const std::size_t first = block * kBlockSamples;
    const std::size_t n = std::min(kBlockSamples, samples.rows - first);
    GreedyCoderWorkspace<float> work;
    Matrix<float> codes(n, coder_.n_atoms());
    reports[block] = coder_.codes(rest.view().row_range(first, n), price, work, codes.view());
  });
  GreedyCodeReport sum;
  for (const GreedyCodeReport& report : reports) sum.add(report);
  return squared > 0 ? std::sqrt(sum.squared_error / squared) : 0.0;
}

}  // namespace dualdict
