// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/decoder_fit.h"

#include <cmath>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/parallel_product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// Of the mean of the diagonal of U'U. From .01 on no decoder explodes, up to .1 none loses more than 1 %.
constexpr double kRidge = 0.03;

double trace_of(const Matrix<double>& square) {
  double trace = 0;
  for (std::size_t j = 0; j < square.rows(); ++j) trace += square(j, j);
  return trace;
}

// 1 where the codes say nothing.
double common_gain(const Matrix<double>& dictionary, const CodedSamples& fit, ThreadPool& pool) {
  Matrix<double> decoded(fit.samples.rows, fit.samples.cols);
  parallel_multiply(fit.codes, dictionary.view(), decoded.view(), Into::kAdd, pool);
  double match = 0;
  for (std::size_t i = 0; i < decoded.rows(); ++i) match += dot(decoded.row(i), fit.samples.row(i), decoded.cols());
  const double length = squared_norm(decoded);
  const double gain = length > 0 ? match / length : 1.0;
  return std::isfinite(gain) && gain > 0 ? gain : 1.0;
}

Matrix<double> scaled(Matrix<double> matrix, double factor) {
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] *= factor;
  return matrix;
}

double squared_error(const Matrix<double>& decoder, const CodedSamples& check, ThreadPool& pool) {
  Matrix<double> rest = convert<double>(check.samples);
  parallel_multiply(check.codes, decoder.view(), rest.view(), Into::kSubtract, pool);
  return squared_norm(rest);
}

// B for `prior` = g D.
Matrix<double> pulled_fit(const Matrix<double>& prior, const CodedSamples& fit, ThreadPool& pool) {
  Matrix<double> gram(fit.codes.cols, fit.codes.cols);
  add_transposed_product(fit.codes, fit.codes, gram.view(), pool);
  const double ridge = kRidge * trace_of(gram) / static_cast<double>(gram.rows());
  if (!(ridge > 0) || !std::isfinite(ridge)) return prior;
  Matrix<double> left_over(fit.codes.cols, fit.samples.cols);
  add_transposed_product(fit.codes, fit.samples, left_over.view(), pool);
  parallel_multiply(gram.view(), prior.view(), left_over.view(), Into::kSubtract, pool);
  for (std::size_t j = 0; j < gram.rows(); ++j) gram(j, j) += ridge;
  Matrix<double> correction = transpose<double>(left_over.view());
  solve_positive_definite(std::move(gram), correction.view(), pool);
  Matrix<double> decoder = transpose<double>(correction.view());
  for (std::size_t i = 0; i < decoder.size(); ++i) decoder.data()[i] += prior.data()[i];
  return decoder;
}

}  // namespace

Matrix<double> fit_decoder(const Matrix<double>& dictionary, const CodedSamples& fit, ThreadPool& pool) {
  return pulled_fit(scaled(dictionary, common_gain(dictionary, fit, pool)), fit, pool);
}

Matrix<double> fit_checked_decoder(const Matrix<double>& dictionary, const CodedSamples& fit, const CodedSamples& check,
                                   ThreadPool& pool) {
  Matrix<double> prior = scaled(dictionary, common_gain(dictionary, fit, pool));
  Matrix<double> decoder = pulled_fit(prior, fit, pool);
  if (check.codes.empty() || squared_error(decoder, check, pool) <= squared_error(prior, check, pool)) return decoder;
  return prior;
}

}  // namespace dualdict
