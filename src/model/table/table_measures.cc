// SPDX-License-Identifier: BSD-3-Clause
#include "model/table/table_measures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/parallel_product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

double squared_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double delta = a.data()[i] - b.data()[i];
    sum += delta * delta;
  }
  return sum;
}

// a / b, and 0 when there is nothing to be wrong about.
double ratio(double a, double b) {
  return b > 0 ? a / b : 0.0;
}

}  // namespace

TableMeasures::TableMeasures(const ModelParts& parts, MatrixView<const double> samples,
                             const std::vector<double>& norms, Matrix<double> exact, ThreadPool& pool)
    : parts_(parts),
      samples_(samples),
      norms_(norms),
      exact_(std::move(exact)),
      pool_(pool),
      predictions_(parallel_multiply_transposed(samples, parts.dual.view(), pool)),
      debias_(parts.dictionary, parts.positive_codes) {
  for (const double norm : norms_) squared_samples_ += norm * norm;
  exact_energy_ = energy(exact_);
}

double TableMeasures::squared_residual(MatrixView<const double> codes, const Matrix<double>& decoder) const {
  const MatrixView<const double> samples = samples_.row_range(0, codes.rows);
  Matrix<double> residual = convert<double>(samples);
  parallel_multiply(codes, decoder.view(), residual.view(), Into::kSubtract, pool_);
  return squared_norm(residual);
}

double TableMeasures::reconstruction_error(const Matrix<double>& codes, const Matrix<double>& decoder) const {
  return std::sqrt(ratio(squared_residual(codes.view(), decoder), squared_samples_));
}

// Over samples that are not zero.
double TableMeasures::worst_error(const Matrix<double>& codes, const Matrix<double>& decoder) const {
  Matrix<double> residual = convert<double>(samples_);
  parallel_multiply(codes.view(), decoder.view(), residual.view(), Into::kSubtract, pool_);
  double worst = 0;
  for (std::size_t i = 0; i < residual.rows(); ++i)
    worst = std::max(worst, ratio(norm(residual.row(i), residual.cols()), norms_[i]));
  return worst;
}

double TableMeasures::energy(const Matrix<double>& codes) const {
  if (parts_.penalty == Penalty::kL0)
    return squared_residual(codes.view(), parts_.dictionary) +
           parts_.find_encoder("greedy")->levels(0, 1) *
               static_cast<double>(count_nonzeros(codes.data(), codes.size()));
  const auto k = static_cast<double>(parts_.dictionary.rows());
  return squared_residual(codes.view(), parts_.dictionary) / static_cast<double>(parts_.dictionary.cols()) +
         parts_.eta / k * squared_difference(codes, predictions_) +
         2 * parts_.tau / k * sum_abs(codes.data(), codes.size()) + parts_.mu / k * squared_norm(codes);
}

// The cubes of the supports are what debiasing costs; past this many the remaining samples are left out.
double TableMeasures::debiased_error(const Matrix<double>& codes) const {
  constexpr double kMaxWork = 3e8;
  constexpr std::size_t kFewest = 100;
  double work = 0;
  std::size_t n = 0;
  while (n < codes.rows() && (work <= kMaxWork || n < kFewest)) {
    const auto support = static_cast<double>(count_nonzeros(codes.row(n++), codes.cols()));
    if (support <= static_cast<double>(samples_.cols)) work += support * support * support / 3;
  }
  Matrix<double> debiased = convert<double>(codes.view().row_range(0, n));
  std::vector<DebiasWorkspace> workspaces(pool_.size());
  pool_.run(n, [&](std::size_t i, std::size_t worker) {
    debias_.apply(samples_.row(i), debiased.row(i), workspaces[worker]);
  });
  double squared = 0;
  for (std::size_t i = 0; i < n; ++i) squared += norms_[i] * norms_[i];
  return std::sqrt(ratio(squared_residual(debiased.view(), parts_.dictionary), squared));
}

double TableMeasures::support_overlap(const Matrix<double>& codes) const {
  double total = 0;
  for (std::size_t i = 0; i < codes.rows(); ++i) {
    std::size_t both = 0;
    std::size_t either = 0;
    for (std::size_t j = 0; j < codes.cols(); ++j) {
      const bool here = codes(i, j) != 0;
      const bool there = exact_(i, j) != 0;
      both += here && there ? 1 : 0;
      either += here || there ? 1 : 0;
    }
    total += either > 0 ? static_cast<double>(both) / static_cast<double>(either) : 1.0;
  }
  return ratio(total, static_cast<double>(codes.rows()));
}

EncodingRow TableMeasures::measure(const Matrix<double>& codes, const Matrix<double>& decoder) const {
  EncodingRow row;
  const double squared_exact = squared_norm(exact_);
  // With exact codes of zero there is no scale to compare with: the length itself is the error.
  const double difference = squared_difference(codes, exact_);
  row.code_error = std::sqrt(squared_exact > 0 ? difference / squared_exact : difference);
  row.energy_excess = ratio(energy(codes) - exact_energy_, exact_energy_);
  row.reconstruction_error = reconstruction_error(codes, decoder);
  row.worst_error = worst_error(codes, decoder);
  row.dictionary_reconstruction_error = reconstruction_error(codes, parts_.dictionary);
  row.debiased_reconstruction_error = debiased_error(codes);
  row.nonzeros =
      ratio(static_cast<double>(count_nonzeros(codes.data(), codes.size())), static_cast<double>(codes.rows()));
  row.support_overlap = support_overlap(codes);
  return row;
}

}  // namespace dualdict
