// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/random.h"
#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "solvers/code_step.h"
#include "verify/naive_code.h"

namespace dualdict {
namespace {

Matrix<double> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> result(rows, cols);
  for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = random.normal();
  return result;
}

void scale_rows(Matrix<double>& rows, double length) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < rows.cols(); ++j) squared += rows(i, j) * rows(i, j);
    for (std::size_t j = 0; j < rows.cols(); ++j) rows(i, j) *= length / std::sqrt(squared);
  }
}

ModelParts random_parts(std::size_t n_atoms, std::size_t n_features) {
  ModelParts parts;
  parts.dtype = DType::kFloat64;
  parts.dictionary = random_matrix(n_atoms, n_features, 1);
  parts.dual = random_matrix(n_atoms, n_features, 2);
  scale_rows(parts.dictionary, 1);
  scale_rows(parts.dual, 0.5);
  parts.tau = 0.3;
  parts.eta = 1;
  return parts;
}

// K = d = n, D = a rotation by blocks of two: orthonormal, and no coordinate axis.
ModelParts orthonormal_parts(std::size_t n) {
  ModelParts parts = random_parts(n, n);
  parts.dictionary = Matrix<double>(n, n);
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    parts.dictionary(i, i) = parts.dictionary(i + 1, i + 1) = 0.6;
    parts.dictionary(i, i + 1) = 0.8;
    parts.dictionary(i + 1, i) = -0.8;
  }
  return parts;
}

Verification verify_rows(const ModelParts& parts, const Matrix<double>& samples, std::size_t n_threads = 1) {
  return verify(Model(parts), *make_source(samples.view()), n_threads);
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// With D'D = I every coefficient is on its own: u = S_{tau/K}(b) / (1/d + (eta + mu)/K).
struct ClosedForm {
  Energy energy;
  double nonzeros = 0;
  double tau_max = 0;
};
ClosedForm closed_form(const ModelParts& parts, const Matrix<double>& samples) {
  const std::size_t n = parts.dictionary.rows();
  const auto k = static_cast<double>(n);
  ClosedForm result;
  for (std::size_t s = 0; s < samples.rows(); ++s) {
    std::vector<double> error(samples.row(s), samples.row(s) + n);
    for (std::size_t j = 0; j < n; ++j) {
      const double predicted = dot(parts.dual.row(j), samples.row(s), n);
      const double b = dot(parts.dictionary.row(j), samples.row(s), n) / k + parts.eta / k * predicted;
      double u = std::max(0.0, std::abs(b) - parts.tau / k) / (1 / k + (parts.eta + parts.mu) / k);
      if (b < 0) u = parts.positive_codes ? 0.0 : -u;
      for (std::size_t i = 0; i < n; ++i) error[i] -= u * parts.dictionary(j, i);
      result.energy.coding += parts.eta / k * (u - predicted) * (u - predicted);
      result.energy.l1 += 2 * parts.tau / k * std::abs(u);
      result.energy.l2 += parts.mu / k * u * u;
      result.nonzeros += u != 0 ? 1 : 0;
      result.tau_max = std::max(result.tau_max, (parts.positive_codes ? b : std::abs(b)) * k);
    }
    result.energy.reconstruction += dot(error.data(), error.data(), n) / k;
  }
  result.nonzeros /= static_cast<double>(samples.rows());
  return result;
}

void expect_near(double value, double expected, double tolerance) {
  EXPECT_NEAR(value, expected, tolerance * std::max(1.0, std::abs(expected)));
}

void expect_closed_form(const ModelParts& parts) {
  const Matrix<double> samples = random_matrix(100, parts.dictionary.cols(), 3);
  const ClosedForm expected = closed_form(parts, samples);
  const Verification found = verify_rows(parts, samples);
  expect_near(found.energy.reconstruction, expected.energy.reconstruction, 1e-12);
  expect_near(found.energy.coding, expected.energy.coding, 1e-12);
  expect_near(found.energy.l1, expected.energy.l1, 1e-12);
  expect_near(found.energy.l2, expected.energy.l2, 1e-12);
  expect_near(found.tau_max, expected.tau_max, 1e-12);
  EXPECT_EQ(found.nonzeros_per_code, expected.nonzeros);
  EXPECT_LE(found.max_kkt_residual, 1e-10);
  EXPECT_GT(expected.nonzeros, 0);
}

TEST(Verify, SoftThresholdsWhenTheDictionaryIsOrthonormal) {
  ModelParts parts = orthonormal_parts(8);
  expect_closed_form(parts);
  parts.mu = 0.25;
  expect_closed_form(parts);
  parts.positive_codes = true;
  expect_closed_form(parts);
  parts.tau = 0;
  expect_closed_form(parts);
  parts = orthonormal_parts(8);
  parts.eta = 0;
  expect_closed_form(parts);
  parts.tau = 0;
  expect_closed_form(parts);
}

// When codes are positive, only what pulls upwards counts: of samples and their negatives, one is pulled down more.
TEST(Verify, CodesAreZeroFromTauMaxOn) {
  for (const bool positive : {false, true})
    for (const double sign : {1.0, -1.0}) {
      ModelParts parts = random_parts(12, 7);
      parts.positive_codes = positive;
      Matrix<double> samples = random_matrix(50, 7, 4);
      for (std::size_t i = 0; i < samples.size(); ++i) samples.data()[i] *= sign;
      parts.tau = verify_rows(parts, samples).tau_max * (1 + 1e-12);
      const Verification silent = verify_rows(parts, samples);
      EXPECT_EQ(silent.nonzeros_per_code, 0);
      double squared_samples = 0;
      double squared_predictions = 0;
      for (std::size_t s = 0; s < 50; ++s) {
        squared_samples += dot(samples.row(s), samples.row(s), 7);
        for (std::size_t j = 0; j < 12; ++j)
          squared_predictions += std::pow(dot(parts.dual.row(j), samples.row(s), 7), 2);
      }
      expect_near(silent.energy.total(), squared_samples / 7 + squared_predictions / 12, 1e-12);
      EXPECT_EQ(silent.energy.l1, 0);
      EXPECT_EQ(silent.duality_gap, 0);
      parts.tau *= 0.999;
      EXPECT_GT(verify_rows(parts, samples).nonzeros_per_code, 0) << positive << " " << sign;
    }
}

TEST(Verify, CertifiesEveryCodeToItsGap) {
  const Matrix<double> samples = random_matrix(200, 10, 5);
  for (const double tau : {1e-3, 0.1, 1.0})
    for (const double eta : {0.0, 1e-3, 1.0})
      for (const bool positive : {false, true}) {
        ModelParts parts = random_parts(25, 10);
        parts.tau = tau;
        parts.eta = eta;
        parts.positive_codes = positive;
        const Verification found = verify_rows(parts, samples);
        EXPECT_LE(found.duality_gap, 2e-9) << tau << " " << eta << " " << positive;
        EXPECT_GT(found.duality_gap, 0);
        EXPECT_LE(found.max_kkt_residual, 0.1) << tau << " " << eta << " " << positive;
      }
}

// Half of a code's energy, less a constant.
double half_energy(const naive::CodeProblem& p, const naive::Code& code) {
  double value = p.lambda * naive::sum_abs(code.u);
  for (std::size_t j = 0; j < p.n_atoms; ++j) value -= 0.5 * code.u[j] * (code.b[j] + code.r[j]);
  return value;
}

TEST(Verify, TheGapBoundsWhatACodeLacks) {
  const Matrix<double> samples = random_matrix(40, 10, 15);
  for (const double eta : {0.0, 1.0})
    for (const bool positive : {false, true}) {
      ModelParts parts = random_parts(25, 10);
      parts.eta = eta;
      parts.positive_codes = positive;
      const naive::CodeProblem p = naive::make_problem(parts);
      for (std::size_t i = 0; i < samples.rows(); ++i) {
        naive::Code code = naive::make_code(p);
        naive::find_code(p, samples.row(i), code);
        const double best = half_energy(p, code);
        for (double& u : code.u) u *= 0.9;
        code.u[3] += 0.05;
        double squared_y = dot(samples.row(i), samples.row(i), 10) / 10;
        for (std::size_t j = 0; j < p.n_atoms; ++j) {
          code.r[j] = code.b[j] - dot(p.hessian.row(j), code.u.data(), p.n_atoms);
          squared_y += p.coding * code.predicted[j] * code.predicted[j];
        }
        const double lacks = 2 * (half_energy(p, code) - best);
        const double squared_rho = squared_y + 2 * half_energy(p, code) - 2 * p.lambda * naive::sum_abs(code.u);
        EXPECT_GT(lacks, 0);
        EXPECT_GE(naive::duality_gap(p, code, squared_rho), lacks) << eta << " " << positive << " " << i;
      }
    }
}

// Without an l1 term the lasso's gap says nothing; strong convexity does.
TEST(Verify, GapHoldsWithoutSparsity) {
  ModelParts parts = random_parts(25, 10);
  parts.tau = 0;
  parts.mu = 1e-2;
  const Verification found = verify_rows(parts, random_matrix(30, 10, 6));
  EXPECT_LE(found.max_kkt_residual, 1e-9);
  EXPECT_LE(found.duality_gap, 1e-9);
}

// D wider than tall and no weight at all on the codes: the minimum is 0, reached by many codes.
TEST(Verify, IsBoundedAndHonestWhenTheHessianIsSingular) {
  ModelParts parts = random_parts(25, 10);
  parts.tau = 0;
  parts.eta = 0;
  const Verification found = verify_rows(parts, random_matrix(20, 10, 7));
  EXPECT_LE(found.energy.total(), 1e-9);
  EXPECT_GE(found.duality_gap, 0);
  EXPECT_LE(found.max_kkt_residual, 1e-9);
}

// Two programs that share nothing find the same codes.
TEST(Verify, AgreesWithTheCodeStep) {
  const Matrix<double> samples = random_matrix(kBlockSamples, 10, 14);
  for (const double eta : {0.0, 1.0})
    for (const bool positive : {false, true}) {
      ModelParts parts = random_parts(15, 10);
      parts.eta = eta;
      parts.mu = 0.1;
      parts.positive_codes = positive;
      const Verification found = verify_rows(parts, samples);
      CodeProblem<double> problem;
      problem.assign({.n_features = 10, .n_atoms = 15, .tau = 0.3, .eta = eta, .mu = 0.1, .positive_codes = positive},
                     parts.dictionary, parts.dual);
      CodeWorkspace<double> work;
      Matrix<double> codes(samples.rows(), 15);
      const CodeReport report =
          code_step<double>(problem, samples.view(), {.tolerance = 1e-9, .max_sweeps = 100000}, work, codes.view());
      expect_near(found.energy.l1, 2 * 0.3 / 15 * report.sum_abs, 1e-5);
      expect_near(found.nonzeros_per_code, static_cast<double>(report.nonzeros) / kBlockSamples, 1e-3);
      double squared_codes = 0;
      for (std::size_t i = 0; i < codes.size(); ++i) squared_codes += codes.data()[i] * codes.data()[i];
      expect_near(found.energy.l2, 0.1 / 15 * squared_codes, 1e-5);
    }
}

TEST(Verify, MeasuresTheLargestNorms) {
  ModelParts parts = random_parts(5, 4);
  for (std::size_t j = 0; j < 4; ++j) parts.dual(3, j) *= 1.5;
  const Verification found = verify_rows(parts, random_matrix(3, 4, 8));
  expect_near(found.max_atom_norm, 1, 1e-15);
  expect_near(found.max_filter_norm, 0.75, 1e-15);
  EXPECT_EQ(found.n_samples, 3u);
}

TEST(Verify, AppliesTheTransformOfTheModel) {
  const Matrix<double> samples = random_matrix(70, 10, 9);
  ModelParts parts = random_parts(15, 10);
  Matrix<double> scaled = samples;
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 8;
  const Verification plain = verify_rows(parts, samples);
  parts.transform = Transform({.scale = 8}, {});
  const Verification transformed = verify_rows(parts, scaled);
  EXPECT_EQ(transformed.energy.total(), plain.energy.total());
}

TEST(Verify, GivesTheSameBitsForAnyNumberOfThreads) {
  const ModelParts parts = random_parts(20, 9);
  const Matrix<double> samples = random_matrix(500, 9, 10);
  const Verification one = verify_rows(parts, samples, 1);
  for (const std::size_t n_threads : {2u, 3u, 7u}) {
    const Verification other = verify_rows(parts, samples, n_threads);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(other.energy.total()), std::bit_cast<std::uint64_t>(one.energy.total()));
    EXPECT_EQ(other.duality_gap, one.duality_gap);
    EXPECT_EQ(other.max_kkt_residual, one.max_kkt_residual);
    EXPECT_EQ(other.tau_max, one.tau_max);
  }
}

TEST(Verify, ZeroSamplesAndZeroAtomsCodeToZero) {
  ModelParts parts = random_parts(6, 4);
  for (std::size_t j = 0; j < 4; ++j) parts.dictionary(2, j) = parts.dual(2, j) = 0;
  parts.eta = 0;
  const Verification nothing = verify_rows(parts, Matrix<double>(5, 4));
  EXPECT_EQ(nothing.energy.total(), 0);
  EXPECT_EQ(nothing.duality_gap, 0);
  EXPECT_EQ(nothing.max_kkt_residual, 0);
  EXPECT_EQ(nothing.nonzeros_per_code, 0);
  parts.tau = 0;
  const Verification dense = verify_rows(parts, random_matrix(5, 4, 11));
  EXPECT_LE(dense.nonzeros_per_code, 5);
  EXPECT_TRUE(std::isfinite(dense.energy.total()));
}

TEST(Verify, RefusesSamplesThatDoNotFit) {
  const ModelParts parts = random_parts(6, 4);
  EXPECT_THROW(verify_rows(parts, random_matrix(5, 3, 12)), Error);
  Matrix<double> samples = random_matrix(100, 4, 13);
  samples(77, 2) = std::numeric_limits<double>::quiet_NaN();
  try {
    verify_rows(parts, samples, 2);
    ADD_FAILURE() << "NaN was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(std::string(error.what()).find("row 77, column 2"), std::string::npos) << error.what();
  }
}

// The library's own greedy codes, made with other code, cost the same.
TEST(Verify, GreedyCodesOfThePenaltyL0CostWhatTheLibrarySays) {
  for (const bool positive : {false, true}) {
    ModelParts parts = random_parts(30, 12);
    parts.penalty = Penalty::kL0;
    parts.positive_codes = positive;
    parts.offset.assign(12, 0.25);
    scale_rows(parts.dual, 3);  // filters of hard codes have any length
    FittedEncoder greedy;
    greedy.mode = "greedy";
    greedy.levels = Matrix<double>(1, 2);
    greedy.levels(0, 0) = 3;
    greedy.levels(0, 1) = 0.7;
    parts.encoders = {greedy};
    const Matrix<double> samples = random_matrix(200, 12, 5);
    const Verification found = verify_rows(parts, samples, 2);
    EXPECT_EQ(found.energy.l1, 0);
    EXPECT_LE(found.max_kkt_residual, 0.05);

    const Model model(parts);
    EncodeOptions options;
    options.mode = "greedy";
    const Encoder encoder(model, options);
    Matrix<double> codes(200, 30);
    std::vector<double> errors(200);
    encoder.encode(samples.view(), codes.view());
    encoder.score(samples.view(), errors, false);
    double squared = 0;
    for (const double error : errors) squared += error * error;
    const auto n_nonzero =
        static_cast<double>(std::count_if(codes.data(), codes.data() + codes.size(), [](double u) { return u != 0; }));
    EXPECT_NEAR(found.energy.reconstruction, squared / 12, 1e-9 * squared);
    EXPECT_NEAR(found.energy.l0, 0.7 * n_nonzero / 12, 1e-9 * n_nonzero);
    EXPECT_NEAR(found.nonzeros_per_code, n_nonzero / 200, 1e-12);
  }
}

}  // namespace
}  // namespace dualdict
