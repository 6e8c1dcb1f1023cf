// SPDX-License-Identifier: BSD-3-Clause
#include "model/encoder_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/cholesky.h"
#include "linalg/vectors.h"
#include "model/parallel_product.h"
#include "model/threshold_fit.h"

namespace dualdict {
namespace {

constexpr std::array kSteps{0.25, 0.5, 0.75, 1.0};  // y
constexpr std::size_t kQuantiles = 65;

std::vector<double> inverse_diagonal(const ModelParts& parts) {
  const Matrix<double>& dictionary = parts.dictionary;
  const auto n_atoms = static_cast<double>(dictionary.rows());
  std::vector<double> inverse(dictionary.rows());
  for (std::size_t j = 0; j < inverse.size(); ++j) {
    const double h = squared_norm(dictionary.row(j), dictionary.cols()) / static_cast<double>(dictionary.cols()) +
                     (parts.eta + parts.mu) / n_atoms;
    inverse[j] = h > 0 ? 1 / h : 0.0;
  }
  return inverse;
}

std::vector<double> relative_norms(const ModelParts& parts, MatrixView<const double> samples) {
  std::vector<double> n(samples.rows);
  for (std::size_t i = 0; i < n.size(); ++i)
    n[i] = parts.mean_norm > 0 ? norm(samples.row(i), samples.cols) / parts.mean_norm : 0.0;
  return n;
}

// A code minimises u'Hu - 2 b'u + 2 lambda |u|_1 with b = weights x; H is `gram`.
struct LinearCode {
  Matrix<double> weights;
  Matrix<double> gram;
};

LinearCode linear_code(const ModelParts& parts) {
  const auto d = static_cast<double>(parts.dictionary.cols());
  const auto k = static_cast<double>(parts.dictionary.rows());
  LinearCode linear{Matrix<double>(parts.dictionary.rows(), parts.dictionary.cols()),
                    multiply_transposed<double>(parts.dictionary.view(), parts.dictionary.view())};
  for (std::size_t i = 0; i < linear.weights.size(); ++i)
    linear.weights.data()[i] = parts.dictionary.data()[i] / d + parts.eta / k * parts.dual.data()[i];
  for (std::size_t i = 0; i < linear.gram.size(); ++i) linear.gram.data()[i] /= d;
  for (std::size_t j = 0; j < linear.gram.rows(); ++j) linear.gram(j, j) += (parts.eta + parts.mu) / k;
  return linear;
}

// (b - H u) / h, n x K.
Matrix<double> scaled_gradient(const ModelParts& parts, const FitSamples& fit, const std::vector<double>& inverse,
                               ThreadPool& pool) {
  const LinearCode linear = linear_code(parts);
  Matrix<double> gradient = parallel_multiply_transposed(fit.samples, linear.weights.view(), pool);
  parallel_multiply(fit.codes, linear.gram.view(), gradient.view(), Into::kSubtract, pool);
  for (std::size_t i = 0; i < gradient.rows(); ++i)
    for (std::size_t j = 0; j < gradient.cols(); ++j) gradient(i, j) *= inverse[j];
  return gradient;
}

// Quantiles 0, 1/64, ..., 1 of |v| / (1 + growth n).
void store_quantiles(const double* v, const std::vector<double>& n, double growth, bool positive,
                     std::vector<double>& sorted, double* quantiles) {
  sorted.resize(n.size());
  for (std::size_t i = 0; i < n.size(); ++i)
    sorted[i] = (positive ? std::max(v[i], 0.0) : std::abs(v[i])) / (1 + growth * n[i]);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t q = 0; q < kQuantiles; ++q) {
    const double position = static_cast<double>(q) / (kQuantiles - 1) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = position - static_cast<double>(below);
    quantiles[q] = sorted[below] + part * (sorted[above] - sorted[below]);
  }
}

// v and the wanted codes, atoms in rows, so that an atom's numbers lie together.
struct Responses {
  Matrix<double> v;
  Matrix<double> codes;
  std::vector<double> norms;
};

std::vector<ThresholdFit> fit_atoms(const Responses& responses, bool positive, ThreadPool& pool) {
  const std::size_t n = responses.norms.size();
  std::vector<ThresholdFit> fits(responses.v.rows());
  std::vector<ThresholdWorkspace> work(pool.size());
  pool.run(fits.size(), [&](std::size_t j, std::size_t worker) {
    fits[j] =
        fit_threshold({responses.v.row(j), n}, {responses.codes.row(j), n}, responses.norms, positive, work[worker]);
  });
  return fits;
}

double total_reduction(const std::vector<ThresholdFit>& fits) {
  double total = 0;
  for (const ThresholdFit& fit : fits) total += fit.reduction;
  return total;
}

void store_fits(const ModelParts& parts, const Responses& responses, const std::vector<ThresholdFit>& fits, double step,
                FittedEncoder& encoder) {
  const std::size_t n_atoms = fits.size();
  const std::vector<double> inverse = inverse_diagonal(parts);
  encoder.gain.resize(n_atoms);
  encoder.threshold.resize(n_atoms);
  encoder.growth.resize(n_atoms);
  encoder.tau_slope.resize(n_atoms);
  encoder.quantiles = Matrix<double>(n_atoms, kQuantiles);
  std::vector<double> sorted;
  for (std::size_t j = 0; j < n_atoms; ++j) {
    encoder.gain[j] = fits[j].gain;
    encoder.threshold[j] = fits[j].threshold;
    encoder.growth[j] = fits[j].growth;
    // The threshold of z is y tau/(K h), reached by a sample of mean norm at t (1 + k).
    encoder.tau_slope[j] = step * inverse[j] / static_cast<double>(n_atoms) / (1 + fits[j].growth);
    store_quantiles(responses.v.row(j), responses.norms, fits[j].growth, parts.positive_codes, sorted,
                    encoder.quantiles.row(j));
  }
}

// W = C + y diag(1/h) [(D - (D D') C)/d - mu/K C], atoms in rows.
Matrix<double> gradient_of_dual(const ModelParts& parts, const std::vector<double>& inverse) {
  const Matrix<double> gram = multiply_transposed<double>(parts.dictionary.view(), parts.dictionary.view());
  Matrix<double> gradient = multiply<double>(gram.view(), parts.dual.view());
  const auto d = static_cast<double>(parts.dictionary.cols());
  const auto k = static_cast<double>(parts.dictionary.rows());
  for (std::size_t j = 0; j < gradient.rows(); ++j)
    for (std::size_t f = 0; f < gradient.cols(); ++f)
      gradient(j, f) = inverse[j] * ((parts.dictionary(j, f) - gradient(j, f)) / d - parts.mu / k * parts.dual(j, f));
  return gradient;
}

// base + y direction
Matrix<double> along(const Matrix<double>& base, const Matrix<double>& direction, double step) {
  Matrix<double> sum(base.rows(), base.cols());
  for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] = base.data()[i] + step * direction.data()[i];
  return sum;
}

// The codes that fits make of responses.v, multiplied by a common gain g: E without its constant is
// g^2 quadratic - 2 g linear, and the squared code error g^2 squared - 2 g match + |u|^2.
struct FittedCodes {
  double quadratic = 0;
  double linear = 0;
  double squared = 0;
  double match = 0;

  double energy(double gain) const { return gain * gain * quadratic - 2 * gain * linear; }
  double best_gain() const { return quadratic > 0 && linear > 0 ? linear / quadratic : 1.0; }
  double squared_error(double gain, double squared_codes) const {
    return std::max(0.0, gain * gain * squared - 2 * gain * match + squared_codes);
  }
};

FittedCodes measure_fits(const ModelParts& parts, const LinearCode& linear, const Matrix<double>& b,
                         const Responses& responses, const std::vector<ThresholdFit>& fits, ThreadPool& pool) {
  Matrix<double> codes(responses.v.rows(), responses.v.cols());
  for (std::size_t j = 0; j < codes.rows(); ++j)
    for (std::size_t i = 0; i < codes.cols(); ++i)
      codes(j, i) = fits[j].gain * soft_threshold(responses.v(j, i),
                                                  fits[j].threshold * (1 + fits[j].growth * responses.norms[i]),
                                                  parts.positive_codes);
  const double lambda = parts.tau / static_cast<double>(codes.rows());
  return {parallel_quadratic(linear.gram, transpose<double>(codes.view()), pool),
          inner_product(codes, b) - lambda * sum_abs(codes.data(), codes.size()), squared_norm(codes),
          inner_product(codes, responses.codes)};
}

struct Candidate {
  std::vector<ThresholdFit> fits;
  double squared_error = 0;
  double energy = 0;
};

// Fits that err little more than the best often have a much smaller E: of these the one with the smallest is taken.
constexpr double kNear = 1.05;

// The fits minimise the code error. Lower thresholds with a common gain that is best for E cost little of that and save
// much of E: small coefficients that were missed come back.
void relax(const ModelParts& parts, const LinearCode& linear, const Matrix<double>& b, const Responses& responses,
           double least, ThreadPool& pool, Candidate& candidate) {
  constexpr double kNearer = 1.03;
  const std::vector<ThresholdFit> fits = candidate.fits;
  const double squared_codes = squared_norm(responses.codes);
  for (const double scale : {0.95, 0.9}) {
    std::vector<ThresholdFit> relaxed = fits;
    for (ThresholdFit& fit : relaxed) fit.threshold *= scale;
    const FittedCodes measured = measure_fits(parts, linear, b, responses, relaxed, pool);
    const double gain = measured.best_gain();
    const double squared_error = measured.squared_error(gain, squared_codes);
    if (squared_error > kNearer * kNearer * least || measured.energy(gain) >= candidate.energy) continue;
    for (ThresholdFit& fit : relaxed) fit.gain *= gain;
    candidate = {std::move(relaxed), squared_error, measured.energy(gain)};
  }
}

// The best y for encoders whose v is linear in y: v = base + y direction, K x n.
double fit_steps(const ModelParts& parts, MatrixView<const double> samples, const Matrix<double>& base,
                 const Matrix<double>& direction, Responses& responses, bool relaxed, ThreadPool& pool,
                 FittedEncoder& encoder) {
  const LinearCode linear = linear_code(parts);
  const Matrix<double> b = parallel_multiply_transposed(linear.weights.view(), samples, pool);
  std::array<Candidate, kSteps.size()> candidates;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < kSteps.size(); ++k) {
    responses.v = along(base, direction, kSteps[k]);
    candidates[k].fits = fit_atoms(responses, parts.positive_codes, pool);
    candidates[k].squared_error = std::max(0.0, squared_norm(responses.codes) - total_reduction(candidates[k].fits));
    candidates[k].energy = measure_fits(parts, linear, b, responses, candidates[k].fits, pool).energy(1);
    least = std::min(least, candidates[k].squared_error);
  }
  std::size_t best = kSteps.size();
  for (std::size_t k = 0; k < kSteps.size(); ++k)
    if (candidates[k].squared_error <= kNear * kNear * least &&
        (best == kSteps.size() || candidates[k].energy < candidates[best].energy))
      best = k;
  if (best == kSteps.size()) best = 0;
  responses.v = along(base, direction, kSteps[best]);
  if (relaxed) relax(parts, linear, b, responses, least, pool, candidates[best]);
  store_fits(parts, responses, candidates[best].fits, kSteps[best], encoder);
  return kSteps[best];
}

// Rows 0 .. split-1 of the symmetric matrix are the samples' block, the others the codes'.
void add_block_ridges(Matrix<double>& gram, std::size_t split) {
  constexpr double kRidge = 1e-4;
  const auto add = [&](std::size_t first, std::size_t last) {
    double trace = 0;
    for (std::size_t i = first; i < last; ++i) trace += gram(i, i);
    const double mean = trace / static_cast<double>(last - first);
    for (std::size_t i = first; i < last; ++i) gram(i, i) += mean > 0 ? kRidge * mean : 1.0;
  };
  add(0, split);
  add(split, gram.rows());
}

MatrixView<const double> column_range(const Matrix<double>& a, std::size_t first, std::size_t count) {
  return {a.data() + first, a.rows(), count, a.cols()};
}

Matrix<double> side_by_side(MatrixView<const double> left, MatrixView<const double> right) {
  Matrix<double> both(left.rows, left.cols + right.cols);
  for (std::size_t i = 0; i < left.rows; ++i) {
    std::copy_n(left.row(i), left.cols, both.row(i));
    std::copy_n(right.row(i), right.cols, both.row(i) + left.cols);
  }
  return both;
}

// x A' + u M', a row for each sample.
Matrix<double> sum_of_products(MatrixView<const double> samples, MatrixView<const double> weights,
                               MatrixView<const double> codes, MatrixView<const double> feedback, ThreadPool& pool) {
  Matrix<double> sum = parallel_multiply_transposed(samples, weights, pool);
  parallel_multiply(codes, transpose<double>(feedback), sum.view(), Into::kAdd, pool);
  return sum;
}

// Features are samples and codes side by side. Codes are sparse: what they take part in is summed over their nonzeros.
Matrix<double> gram_of_features(const Matrix<double>& features, MatrixView<const double> samples,
                                MatrixView<const double> codes, ThreadPool& pool) {
  const std::size_t d = samples.cols;
  const Matrix<double> of_samples = parallel_transposed_multiply(samples, samples, pool);
  const Matrix<double> of_codes = parallel_transposed_multiply(codes, features.view(), pool);
  Matrix<double> gram(features.cols(), features.cols());
  for (std::size_t i = 0; i < d; ++i) std::copy_n(of_samples.row(i), d, gram.row(i));
  for (std::size_t i = 0; i < codes.cols; ++i) {
    std::copy_n(of_codes.row(i), gram.cols(), gram.row(d + i));
    for (std::size_t j = 0; j < d; ++j) gram(j, d + i) = of_codes(i, j);
  }
  return gram;
}
Matrix<double> targets_by_features(const Matrix<double>& targets, MatrixView<const double> samples,
                                   MatrixView<const double> codes, ThreadPool& pool) {
  const Matrix<double> by_samples = parallel_transposed_multiply(targets.view(), samples, pool);
  const Matrix<double> by_codes = parallel_transposed_multiply(codes, targets.view(), pool);
  return side_by_side(by_samples.view(), transpose<double>(by_codes.view()).view());
}

// The weights of samples and codes, side by side, that are best for the targets base + y direction.
struct LinearWeights {
  Matrix<double> base;
  Matrix<double> direction;
};

// The target u* + y (b - Hu*)/h is linear in y, and so is its regression: two solves serve every y.
LinearWeights regress_targets(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes,
                              ThreadPool& pool) {
  const Matrix<double> features = side_by_side(fit.samples, sparse_codes);
  Matrix<double> gram = gram_of_features(features, fit.samples, sparse_codes, pool);
  add_block_ridges(gram, fit.samples.cols);
  const Matrix<double> gradient = scaled_gradient(parts, fit, inverse_diagonal(parts), pool);
  LinearWeights weights{parallel_transposed_multiply(fit.codes, features.view(), pool),
                        targets_by_features(gradient, fit.samples, sparse_codes, pool)};
  solve_positive_definite(gram, weights.base.view(), pool);
  solve_positive_definite(std::move(gram), weights.direction.view(), pool);
  return weights;
}

}  // namespace

FittedEncoder fit_sparse(const ModelParts& parts, const FitSamples& fit, ThreadPool& pool) {
  FittedEncoder encoder;
  const Matrix<double> gradient = gradient_of_dual(parts, inverse_diagonal(parts));
  Responses responses{{}, transpose<double>(fit.codes), relative_norms(parts, fit.samples)};
  const Matrix<double> base = parallel_multiply_transposed(parts.dual.view(), fit.samples, pool);
  const Matrix<double> direction = parallel_multiply_transposed(gradient.view(), fit.samples, pool);
  const double step = fit_steps(parts, fit.samples, base, direction, responses, true, pool, encoder);
  encoder.weights = along(parts.dual, gradient, step);
  encoder.decoder = fit_decoder(apply_fitted(parts, encoder, fit.samples, {}, pool).view(), fit.samples, pool);
  return encoder;
}

FittedEncoder fit_corrected(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes,
                            ThreadPool& pool) {
  FittedEncoder encoder;
  const std::size_t d = fit.samples.cols;
  const auto [base, direction] = regress_targets(parts, fit, sparse_codes, pool);
  Responses responses{{}, transpose<double>(fit.codes), relative_norms(parts, fit.samples)};
  const auto response = [&](const Matrix<double>& weights) {
    return transpose<double>(sum_of_products(fit.samples, column_range(weights, 0, d), sparse_codes,
                                             column_range(weights, d, weights.cols() - d), pool)
                                 .view());
  };
  const double step =
      fit_steps(parts, fit.samples, response(base), response(direction), responses, false, pool, encoder);
  const Matrix<double> both = along(base, direction, step);
  encoder.weights = convert<double>(column_range(both, 0, d));
  encoder.feedback = convert<double>(column_range(both, d, both.cols() - d));
  encoder.decoder =
      fit_decoder(apply_fitted(parts, encoder, fit.samples, sparse_codes, pool).view(), fit.samples, pool);
  return encoder;
}

Matrix<double> apply_fitted(const ModelParts& parts, const FittedEncoder& encoder, MatrixView<const double> samples,
                            MatrixView<const double> sparse_codes, ThreadPool& pool) {
  Matrix<double> codes = encoder.feedback.empty() ? parallel_multiply_transposed(samples, encoder.weights.view(), pool)
                                                  : sum_of_products(samples, encoder.weights.view(), sparse_codes,
                                                                    encoder.feedback.view(), pool);
  const std::vector<double> n = relative_norms(parts, samples);
  for (std::size_t i = 0; i < codes.rows(); ++i)
    for (std::size_t j = 0; j < codes.cols(); ++j)
      codes(i, j) = encoder.gain[j] * soft_threshold(codes(i, j), encoder.threshold[j] * (1 + encoder.growth[j] * n[i]),
                                                     parts.positive_codes);
  return codes;
}

Matrix<double> fit_decoder(MatrixView<const double> codes, MatrixView<const double> samples, ThreadPool& pool) {
  constexpr double kRidge = 1e-6;
  Matrix<double> gram = parallel_transposed_multiply(codes, codes, pool);
  double trace = 0;
  for (std::size_t j = 0; j < gram.rows(); ++j) trace += gram(j, j);
  if (!(trace > 0)) return Matrix<double>(codes.cols, samples.cols);
  for (std::size_t j = 0; j < gram.rows(); ++j) gram(j, j) += kRidge * trace / static_cast<double>(gram.rows());
  const Matrix<double> by_samples = parallel_transposed_multiply(codes, samples, pool);
  Matrix<double> decoder = transpose<double>(by_samples.view());
  solve_positive_definite(std::move(gram), decoder.view(), pool);
  return transpose<double>(decoder.view());
}

}  // namespace dualdict
