// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/product_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "model/fit/threshold_fit.h"
#include "problems/planted.h"
#include "problems/random_matrix.h"
#include "problems/small_model.h"

namespace dualdict {
namespace {

struct Pairs {
  std::vector<double> v, u, n;
};

Pairs make_pairs(std::size_t count, bool positive, std::uint64_t seed) {
  Random random(seed);
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double n = 0.2 + random.uniform();
    const double v = random.normal() * n;
    const double u = 0.7 * soft_threshold(v, 0.4 * (1 + n), positive) + 0.1 * random.normal();
    pairs.v.push_back(v);
    pairs.u.push_back(positive ? std::max(u, 0.0) : u);
    pairs.n.push_back(n);
  }
  return pairs;
}

double squared_error(const Pairs& pairs, double gain, double threshold, double growth, bool positive) {
  double sum = 0;
  for (std::size_t i = 0; i < pairs.v.size(); ++i) {
    const double code = gain * soft_threshold(pairs.v[i], threshold * (1 + growth * pairs.n[i]), positive);
    sum += (pairs.u[i] - code) * (pairs.u[i] - code);
  }
  return sum;
}

// The best gain for a threshold is a ratio; the threshold is searched on a fine grid.
double best_on_grid(const Pairs& pairs, double growth, bool positive) {
  double best = squared_norm(pairs.u.data(), pairs.u.size());
  for (int step = 0; step < 30000; ++step) {
    const double threshold = 1e-4 * step;
    double match = 0;
    double length = 0;
    for (std::size_t i = 0; i < pairs.v.size(); ++i) {
      const double s = soft_threshold(pairs.v[i], threshold * (1 + growth * pairs.n[i]), positive);
      match += s * pairs.u[i];
      length += s * s;
    }
    if (length > 0 && match > 0)
      best = std::min(best, squared_error(pairs, match / length, threshold, growth, positive));
  }
  return best;
}

TEST(ThresholdFit, IsNoWorseThanABruteForceGrid) {
  ThresholdWorkspace work;
  for (const bool positive : {false, true}) {
    for (const double growth : {0.0, 1.0, 4.0}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Pairs pairs = make_pairs(40, positive, seed);
        const ThresholdFit fit = fit_threshold(pairs.v, pairs.u, pairs.n, growth, positive, work);
        const double error = squared_error(pairs, fit.gain, fit.threshold, growth, positive);
        const double total = squared_norm(pairs.u.data(), pairs.u.size());
        EXPECT_NEAR(total - fit.reduction, error, 1e-10 * total);
        const double grid = best_on_grid(pairs, growth, positive);
        EXPECT_LE(error, grid * (1 + 1e-12));
        EXPECT_GE(error, grid * (1 - 1e-2)) << "the grid should have come near";
        EXPECT_GE(fit.gain, 0);
        EXPECT_GE(fit.threshold, 0);
      }
    }
  }
}

TEST(ThresholdFit, RulesOutNoThresholdThatIsBest) {
  ThresholdWorkspace work;
  for (const double growth : {0.0, 2.0}) {
    Pairs pairs = make_pairs(1000, false, 9);
    for (std::size_t i = 0; i < pairs.u.size(); ++i)
      if (i % 20 != 0) pairs.u[i] = 0;  // most samples lie below any threshold that is worth a thought
    const ThresholdFit fit = fit_threshold(pairs.v, pairs.u, pairs.n, growth, false, work);
    const double error = squared_error(pairs, fit.gain, fit.threshold, growth, false);
    EXPECT_LE(error, best_on_grid(pairs, growth, false) * (1 + 1e-12));
  }
}

TEST(ThresholdFit, FindsGainThresholdAndGrowthOfCleanCodes) {
  Random random(3);
  Pairs pairs;
  for (int i = 0; i < 300; ++i) {
    pairs.n.push_back(0.5 + random.uniform());
    pairs.v.push_back(2 * random.normal());
    pairs.u.push_back(0.8 * soft_threshold(pairs.v.back(), 0.3 * (1 + 2 * pairs.n.back())));
  }
  ThresholdWorkspace work;
  const ThresholdFit fit = fit_threshold(pairs.v, pairs.u, pairs.n, false, work);
  EXPECT_NEAR(fit.gain, 0.8, 1e-9);
  EXPECT_NEAR(fit.threshold, 0.3, 1e-9);
  EXPECT_EQ(fit.growth, 2);
}

TEST(ThresholdFit, NothingToFitGivesGainZero) {
  ThresholdWorkspace work;
  const std::vector<double> v{1, -2, 0.5}, n{1, 1, 1}, zero{0, 0, 0}, against{-1, 2, -0.5};
  for (const auto& u : {zero, against}) {
    const ThresholdFit fit = fit_threshold(v, u, n, false, work);
    EXPECT_EQ(fit.gain, 0);
    EXPECT_EQ(fit.threshold, 0);
  }
  EXPECT_EQ(fit_threshold(zero, v, n, false, work).gain, 0);
}

ModelParts small_parts(const Planted& planted, double tau) {
  ModelParts parts;
  parts.dtype = DType::kFloat64;
  parts.tau = tau;
  parts.eta = 1;
  return learn_briefly(parts, planted.dictionary, planted.samples, 5);
}

double code_error(const Matrix<double>& codes, const Matrix<double>& exact) {
  return relative_change(codes, exact);
}

TEST(ProductFit, EachProductBringsTheCodesNearer) {
  const Planted planted = make_planted(1500, 16, 24, 4, 0.05, 1);
  const ModelParts parts = small_parts(planted, 0.2);
  const Matrix<double> exact = solve_codes(parts, planted.samples, 1e-6);
  ThreadPool pool(2);
  const FitSamples fit{planted.samples.view(), exact.view()};
  const FittedEncoder sparse = fit_sparse(parts, fit, pool);
  const Matrix<double> sparse_codes = apply_fitted(parts, sparse, fit.samples, {}, pool);
  const FittedEncoder corrected = fit_corrected(parts, fit, sparse_codes.view(), pool);
  const Matrix<double> corrected_codes = apply_fitted(parts, corrected, fit.samples, sparse_codes.view(), pool);
  const Matrix<double> linear = multiply_transposed<double>(fit.samples, parts.dual.view());
  EXPECT_LT(code_error(sparse_codes, exact), 0.8 * code_error(linear, exact));
  EXPECT_LT(code_error(corrected_codes, exact), 0.8 * code_error(sparse_codes, exact));
}

TEST(ProductFit, DoesNotDependOnTheNumberOfThreads) {
  const Planted planted = make_planted(300, 9, 12, 3, 0.05, 2);
  const ModelParts parts = small_parts(planted, 0.2);
  const Matrix<double> exact = solve_codes(parts, planted.samples, 1e-6);
  const FitSamples fit{planted.samples.view(), exact.view()};
  ThreadPool one(1), three(3);
  const FittedEncoder a = fit_sparse(parts, fit, one);
  const FittedEncoder b = fit_sparse(parts, fit, three);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.threshold, b.threshold);
  const Matrix<double> codes = apply_fitted(parts, a, fit.samples, {}, one);
  EXPECT_EQ(fit_corrected(parts, fit, codes.view(), one).feedback,
            fit_corrected(parts, fit, codes.view(), three).feedback);
}

// The model with features that are always zero: with its weights scaled along with 1/d its codes stay what they were.
ModelParts with_zero_features(const ModelParts& parts, std::size_t n_features) {
  ModelParts wide = parts;
  wide.dictionary = Matrix<double>(parts.dictionary.rows(), n_features);
  wide.dual = wide.dictionary;
  for (std::size_t j = 0; j < parts.dictionary.rows(); ++j) {
    std::copy_n(parts.dictionary.row(j), parts.dictionary.cols(), wide.dictionary.row(j));
    std::copy_n(parts.dual.row(j), parts.dual.cols(), wide.dual.row(j));
  }
  const double scale = static_cast<double>(parts.dictionary.cols()) / static_cast<double>(n_features);
  wide.tau *= scale;
  wide.eta *= scale;
  wide.mu *= scale;
  return wide;
}

// Where features are many and samples few, sums over pairs of samples give the weights that sums over pairs of features
// give (but for the ridge, which is a share of the mean over all features).
TEST(ProductFit, FewWideSamplesGiveTheWeightsOfTheNormalEquations) {
  constexpr std::size_t kNarrow = 512, kWide = 513, kSamples = 90, kAtoms = 12;
  ModelParts parts;
  parts.dictionary = random_unit_rows(kAtoms, kNarrow, 1);
  parts.dual = random_unit_rows(kAtoms, kNarrow, 2);
  parts.tau = 0.3;
  parts.eta = 1;
  parts.mu = 0.1;
  parts.mean_norm = std::sqrt(static_cast<double>(kNarrow));
  const Matrix<double> samples = random_matrix<double>(kSamples, kNarrow, 3);
  Matrix<double> codes = multiply_transposed<double>(samples.view(), parts.dictionary.view());
  for (std::size_t i = 0; i < codes.size(); ++i) codes.data()[i] = soft_threshold(codes.data()[i], 0.7, false);
  const ModelParts wide_parts = with_zero_features(parts, kWide);
  Matrix<double> wide_samples(kSamples, kWide);
  for (std::size_t i = 0; i < kSamples; ++i) std::copy_n(samples.row(i), kNarrow, wide_samples.row(i));

  ThreadPool pool(2);
  const FittedEncoder sparse = fit_sparse(parts, {samples.view(), codes.view()}, pool);
  const FittedEncoder wide_sparse = fit_sparse(wide_parts, {wide_samples.view(), codes.view()}, pool);
  const auto difference = [&](const Matrix<double>& wide, const Matrix<double>& narrow) {
    Matrix<double> same(narrow.rows(), narrow.cols());
    for (std::size_t j = 0; j < narrow.rows(); ++j) std::copy_n(wide.row(j), narrow.cols(), same.row(j));
    return relative_change(same, narrow);
  };
  EXPECT_LE(difference(wide_sparse.weights, sparse.weights), 1e-9);
  const Matrix<double> sparse_codes = apply_fitted(parts, sparse, samples.view(), {}, pool);
  const FittedEncoder corrected = fit_corrected(parts, {samples.view(), codes.view()}, sparse_codes.view(), pool);
  const FittedEncoder wide_corrected =
      fit_corrected(wide_parts, {wide_samples.view(), codes.view()}, sparse_codes.view(), pool);
  EXPECT_LE(difference(wide_corrected.weights, corrected.weights), 3e-3);
  EXPECT_LE(difference(wide_corrected.feedback, corrected.feedback), 3e-3);
}

}  // namespace
}  // namespace dualdict
