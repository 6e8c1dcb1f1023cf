// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/product_fit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "linalg/cholesky.h"
#include "linalg/parallel_product.h"
#include "linalg/vectors.h"
#include "model/fit/step_fit.h"
#include "solvers/dual_step.h"

namespace dualdict {
namespace {

MatrixView<const double> column_range(const Matrix<double>& a, std::size_t first, std::size_t count) {
  return {a.data() + first, a.rows(), count, a.cols()};
}
MatrixView<double> column_range(Matrix<double>& a, std::size_t first, std::size_t count) {
  return {a.data() + first, a.rows(), count, a.cols()};
}

// diag(1/h) [D r/d + eta/K C x - (eta + mu)/K u] for matrices r, x and u whose columns are alike: the gradient of the
// energy of a code u of x with the residual r, scaled.
Matrix<double> scaled_gradient(const ModelParts& parts, const Matrix<double>& r, const Matrix<double>& x,
                               MatrixView<const double> u, ThreadPool& pool) {
  const auto d = static_cast<double>(parts.dictionary.cols());
  const auto k = static_cast<double>(parts.dictionary.rows());
  Matrix<double> gradient(u.rows, u.cols);
  parallel_multiply(parts.dictionary.view(), r.view(), gradient.view(), Into::kAdd, pool);
  Matrix<double> coding(u.rows, u.cols);
  if (parts.eta > 0) parallel_multiply(parts.dual.view(), x.view(), coding.view(), Into::kAdd, pool);
  const std::vector<double> inverse = inverse_diagonal(parts);
  for (std::size_t j = 0; j < u.rows; ++j)
    for (std::size_t f = 0; f < u.cols; ++f)
      gradient(j, f) =
          inverse[j] * (gradient(j, f) / d + parts.eta / k * coding(j, f) - (parts.eta + parts.mu) / k * u(j, f));
  return gradient;
}

// x - D'u for matrices whose columns are alike.
Matrix<double> residual_of(const ModelParts& parts, Matrix<double> x, MatrixView<const double> u, ThreadPool& pool) {
  Matrix<double> decoded(x.rows(), x.cols());
  add_transposed_product(parts.dictionary.view(), u, decoded.view(), pool);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] -= decoded.data()[i];
  return x;
}

// The direction of weights U = `base` on x or, with more columns than d, on x and a code: the gradient at the codes
// that they make, D (I - D'U) = D - (D D') U. Nothing is d x d.
StepWeights wide_weights(const ModelParts& parts, Matrix<double> base, ThreadPool& pool) {
  const std::size_t n_features = parts.dictionary.cols();
  const auto d = static_cast<double>(n_features);
  const auto k = static_cast<double>(parts.dictionary.rows());
  Matrix<double> direction(base.rows(), base.cols());
  const Matrix<double> gram = parallel_gram(parts.dictionary.view(), pool);
  parallel_multiply(gram.view(), base.view(), direction.view(), Into::kSubtract, pool);
  const std::vector<double> inverse = inverse_diagonal(parts);
  for (std::size_t j = 0; j < base.rows(); ++j)
    for (std::size_t f = 0; f < base.cols(); ++f) {
      const double atom = f < n_features ? parts.dictionary(j, f) : 0.0;
      const double filter = f < n_features ? parts.dual(j, f) : 0.0;
      direction(j, f) = inverse[j] * ((atom + direction(j, f)) / d + parts.eta / k * filter -
                                      (parts.eta + parts.mu) / k * base(j, f));
    }
  return {std::move(base), std::move(direction)};
}

// `sparse` takes W = C + y times the gradient at u = C x; both are linear in x, so x is the identity here.
StepWeights sparse_weights(const ModelParts& parts, ThreadPool& pool) {
  const std::size_t d = parts.dictionary.cols();
  if (d > kWideFeatures) return wide_weights(parts, parts.dual, pool);
  Matrix<double> identity(d, d);
  for (std::size_t i = 0; i < d; ++i) identity(i, i) = 1;
  const Matrix<double> residual = residual_of(parts, identity, parts.dual.view(), pool);
  return {parts.dual, scaled_gradient(parts, residual, identity, parts.dual.view(), pool)};
}

// A ridge that pulls the regression of x and u* on f = [x; the sparse code] to "x is x, and u* the sparse code", from
// which the target is one step from the sparse code: an atom that few samples use does not get feedback from chance.
// Rows 0 .. split-1 of the symmetric matrix are the samples' block, the others the codes'. Both matrices get the same:
// (T + R)(G + R)^-1 = I + (T - G)(G + R)^-1.
constexpr double kSampleRidge = 1e-3, kCodeRidge = 1e-2;  // of the mean of the block's diagonal

double ridge_of(double mean, double share) {
  return mean > 0 ? share * mean : 1.0;
}

void add_block_ridges(std::size_t split, Matrix<double>& gram, Matrix<double>& by_features) {
  const auto add = [&](std::size_t first, std::size_t last, double share) {
    double trace = 0;
    for (std::size_t i = first; i < last; ++i) trace += gram(i, i);
    const double ridge = ridge_of(trace / static_cast<double>(last - first), share);
    for (std::size_t i = first; i < last; ++i) {
      gram(i, i) += ridge;
      by_features(i, i) += ridge;
    }
  };
  add(0, split, kSampleRidge);
  add(split, gram.rows(), kCodeRidge);
}

// F F' / ridge is added to the kernel, and the ridge returned. F: the same features of all samples.
double add_kernel(MatrixView<const double> features, double share, Matrix<double>& kernel, ThreadPool& pool) {
  const Matrix<double> gram = parallel_gram(features, pool);
  double trace = 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) trace += gram(i, i);
  const double ridge = ridge_of(trace / static_cast<double>(features.cols), share);
  for (std::size_t i = 0; i < gram.size(); ++i) kernel.data()[i] += gram.data()[i] / ridge;
  return ridge;
}

// The regression below for fewer samples than features: with R the ridges, the weights for u* less the sparse code are
// (F R^-1 F' + I)^-1 (u* - s), times F R^-1; to x they add nothing.
StepWeights wide_corrected_weights(const ModelParts& parts, const FitSamples& fit,
                                   MatrixView<const double> sparse_codes, ThreadPool& pool) {
  const std::size_t n = fit.samples.rows;
  const std::size_t d = fit.samples.cols;
  const std::size_t k = sparse_codes.cols;
  Matrix<double> targets(k, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) targets(j, i) = fit.codes(i, j) - sparse_codes(i, j);
  Matrix<double> kernel(n, n);
  for (std::size_t i = 0; i < n; ++i) kernel(i, i) = 1;
  const double sample_ridge = add_kernel(fit.samples, kSampleRidge, kernel, pool);
  const double code_ridge = add_kernel(sparse_codes, kCodeRidge, kernel, pool);
  solve_positive_definite(std::move(kernel), targets.view(), pool);
  Matrix<double> weights(k, d + k);
  parallel_multiply(targets.view(), fit.samples, column_range(weights, 0, d), Into::kAdd, pool);
  parallel_multiply(targets.view(), sparse_codes, column_range(weights, d, k), Into::kAdd, pool);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t f = 0; f < d + k; ++f) weights(j, f) /= f < d ? sample_ridge : code_ridge;
    weights(j, d + j) += 1;
  }
  return wide_weights(parts, std::move(weights), pool);
}

// The target u* + y (b - Hu*)/h of `corrected` is linear in x and u*, and so is its regression on x and the sparse code
// f: with those of x and u* alone the gradient at them is that of the regression. One factor and one solve serve all y.
StepWeights corrected_weights(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes,
                              ThreadPool& pool) {
  const std::size_t d = fit.samples.cols;
  const std::size_t k = sparse_codes.cols;
  if (d > kWideFeatures && fit.samples.rows < d + k) return wide_corrected_weights(parts, fit, sparse_codes, pool);
  // Sums over the samples of x f', u f' and, below, of f f'; codes are sparse and go first.
  Matrix<double> by_features(d + k, d + k);
  const MatrixView<double> of_samples = by_features.view().row_range(0, d);
  Matrix<double> gram(d + k, d + k);
  add_transposed_product(fit.samples, fit.samples, column_range(gram, 0, d).row_range(0, d), pool);
  add_transposed_product(sparse_codes, fit.samples, column_range(gram, 0, d).row_range(d, k), pool);
  add_transposed_product(sparse_codes, sparse_codes, column_range(gram, d, k).row_range(d, k), pool);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = d; j < d + k; ++j) gram(i, j) = gram(j, i);
  for (std::size_t i = 0; i < d; ++i) std::copy_n(gram.row(i), d + k, of_samples.row(i));
  add_transposed_product(fit.codes, fit.samples, column_range(by_features, 0, d).row_range(d, k), pool);
  add_transposed_product(fit.codes, sparse_codes, column_range(by_features, d, k).row_range(d, k), pool);
  add_block_ridges(d, gram, by_features);
  solve_positive_definite(std::move(gram), by_features.view(), pool);
  Matrix<double> x = convert<double>(std::as_const(by_features).view().row_range(0, d));
  Matrix<double> u = convert<double>(std::as_const(by_features).view().row_range(d, k));
  by_features = {};
  const Matrix<double> residual = residual_of(parts, x, u.view(), pool);
  Matrix<double> direction = scaled_gradient(parts, residual, x, u.view(), pool);
  return {std::move(u), std::move(direction)};
}

// x A' + u M', a row for each sample.
Matrix<double> sum_of_products(MatrixView<const double> samples, MatrixView<const double> weights,
                               MatrixView<const double> codes, MatrixView<const double> feedback, ThreadPool& pool) {
  Matrix<double> sum = parallel_multiply_transposed(samples, weights, pool);
  parallel_multiply(codes, transpose<double>(feedback), sum.view(), Into::kAdd, pool);
  return sum;
}

}  // namespace

FittedEncoder fit_sparse(const ModelParts& parts, const FitSamples& fit, ThreadPool& pool) {
  FittedEncoder encoder;
  const StepWeights weights = sparse_weights(parts, pool);
  const double step = fit_steps(parts, fit, {}, weights, true, pool, encoder);
  encoder.weights = along(weights.base.view(), weights.direction.view(), step);
  return encoder;
}

FittedEncoder fit_corrected(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes,
                            ThreadPool& pool) {
  FittedEncoder encoder;
  const std::size_t d = fit.samples.cols;
  const StepWeights weights = corrected_weights(parts, fit, sparse_codes, pool);
  const double step = fit_steps(parts, fit, sparse_codes, weights, false, pool, encoder);
  const Matrix<double> both = along(weights.base.view(), weights.direction.view(), step);
  encoder.weights = convert<double>(column_range(both, 0, d));
  encoder.feedback = convert<double>(column_range(both, d, both.cols() - d));
  return encoder;
}

Matrix<double> responses_of(const FittedEncoder& encoder, MatrixView<const double> samples,
                            MatrixView<const double> sparse_codes, ThreadPool& pool) {
  if (encoder.feedback.empty()) return parallel_multiply_transposed(samples, encoder.weights.view(), pool);
  return sum_of_products(samples, encoder.weights.view(), sparse_codes, encoder.feedback.view(), pool);
}

Matrix<double> apply_fitted(const ModelParts& parts, const FittedEncoder& encoder, MatrixView<const double> samples,
                            MatrixView<const double> sparse_codes, ThreadPool& pool) {
  Matrix<double> codes = responses_of(encoder, samples, sparse_codes, pool);
  const std::vector<double> n = relative_norms(parts, samples);
  for (std::size_t i = 0; i < codes.rows(); ++i)
    for (std::size_t j = 0; j < codes.cols(); ++j)
      codes(i, j) = encoder.gain[j] * soft_threshold(codes(i, j), encoder.threshold[j] * (1 + encoder.growth[j] * n[i]),
                                                     parts.positive_codes);
  return codes;
}

}  // namespace dualdict
