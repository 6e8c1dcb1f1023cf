// SPDX-License-Identifier: BSD-3-Clause
// A small model with every part filled in, and the comparison of two models part by part.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "core/random.h"
#include "dualdict/model.h"

namespace dualdict {

inline Matrix<double> random_rows(std::size_t rows, std::size_t cols, bool in_ball, Random& random) {
  Matrix<double> result(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < cols; ++j) {
      result(i, j) = random.normal();
      squared += result(i, j) * result(i, j);
    }
    if (in_ball)
      for (std::size_t j = 0; j < cols; ++j) result(i, j) /= std::sqrt(squared);
  }
  return result;
}

inline std::vector<double> random_values(std::size_t n, Random& random) {
  std::vector<double> values(n);
  for (double& value : values) value = random.uniform();
  return values;
}

inline FittedEncoder random_encoder(const char* mode, std::size_t n_atoms, std::size_t n_features, Random& random) {
  const bool has_feedback = std::string(mode) == "corrected";
  FittedEncoder encoder;
  encoder.mode = mode;
  if (encoder.mode == "hard" || encoder.mode == "greedy") {
    encoder.levels = Matrix<double>(4, 2);
    for (std::size_t i = 0; i < 4; ++i) encoder.levels(i, 0) = i == 0 ? 1.5 : static_cast<double>(i);
    for (std::size_t i = 0; i < 4; ++i) encoder.levels(i, 1) = i == 0 ? 0.1 : 0.3 / static_cast<double>(i);
    if (encoder.mode == "greedy") return encoder;
    encoder.bias = random_values(n_atoms, random);
    encoder.decoder = random_rows(n_atoms, n_features, false, random);
    return encoder;
  }
  encoder.weights = random_rows(n_atoms, n_features, false, random);
  if (has_feedback) encoder.feedback = random_rows(n_atoms, n_atoms, false, random);
  encoder.gain = random_values(n_atoms, random);
  encoder.threshold = random_values(n_atoms, random);
  encoder.growth = random_values(n_atoms, random);
  encoder.tau_slope = random_values(n_atoms, random);
  encoder.quantiles = random_rows(n_atoms, 5, false, random);
  encoder.decoder = random_rows(n_atoms, n_features, false, random);
  return encoder;
}

inline LearnSummary example_summary() {
  LearnSummary summary;
  summary.outcome = Outcome::kIterationLimit;
  summary.message = "200 iterations; \"rtol\" 1e-4 not reached \xE2\x80\x94 \x1b[31m";
  summary.n_iterations = 200;
  summary.seconds = 0.1;
  summary.n_samples = 1234567;
  summary.n_features = 6;
  summary.energy = {.reconstruction = 1.0 / 3, .coding = 2e-300, .l1 = 0.1 + 0.2, .l2 = 1e22};
  summary.nonzeros_per_code = 2.75;
  summary.duality_gap = 3e-7;
  summary.max_kkt_residual = 9e-4;
  summary.tau = 0.3;
  summary.tau_max = 17.25;
  summary.coding_weight = 1.5;
  summary.threshold = 0.45;
  summary.replaced_atoms = 3;
  summary.dead_atoms = 1;
  summary.given.n_atoms = 4;
  summary.given.nonzeros = 2.75;
  summary.used = summary.given;
  summary.used.tau = 0.3;
  summary.used.solver = Solver::kFista;
  summary.used.dtype = DType::kFloat64;
  summary.used.n_threads = 2;
  summary.used.positive_codes = true;
  return summary;
}

inline ModelParts example_parts(DType dtype = DType::kFloat32) {
  Random random(7);
  ModelParts parts;
  parts.dtype = dtype;
  parts.dictionary = random_rows(4, 6, true, random);
  parts.dual = random_rows(4, 6, true, random);
  PreprocessOptions preprocess;
  preprocess.scale = 125;
  preprocess.center_features = true;
  preprocess.unit_norm = true;
  parts.transform = Transform(preprocess, random_values(6, random));
  parts.shape = {.height = 2, .width = 3};
  parts.mean_norm = 1.0 / 7;
  parts.offset = random_values(6, random);
  parts.tau = 0.3;
  parts.eta = 1e-3;
  parts.mu = 1e-5;
  parts.positive_codes = true;
  parts.encoders.push_back(random_encoder("sparse", 4, 6, random));
  parts.encoders.push_back(random_encoder("corrected", 4, 6, random));
  parts.encoders.push_back(random_encoder("hard", 4, 6, random));
  parts.encoders.push_back(random_encoder("greedy", 4, 6, random));
  Provenance& provenance = parts.provenance;
  provenance.version = "0.1.0";
  provenance.data_name = "digits \"a\".npy";
  provenance.data_fingerprint = "xxh3-128:00ff";
  provenance.summary = example_summary();
  provenance.encoding = {.n_fit = 3000, .n_measured = 500, .held_out = true, .unseen = false, .rows = {}};
  provenance.encoding.rows.push_back({"linear", 0.26, 0.19, 0.1, 0.2, 0.3, 4, 0.5, 1.66e6});
  const double absent = std::numeric_limits<double>::quiet_NaN();
  provenance.encoding.rows.push_back({"pca", absent, absent, 0.1, absent, absent, 4, absent, absent});
  provenance.usage = {1, 0, 5, 1234567};
  return parts;
}

// To change it.
inline FittedEncoder& encoder_of(ModelParts& parts, std::string_view mode) {
  return const_cast<FittedEncoder&>(*parts.find_encoder(mode));
}

inline void expect_same(const FittedEncoder& a, const FittedEncoder& b) {
  EXPECT_EQ(a.mode, b.mode);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.feedback, b.feedback);
  EXPECT_EQ(a.gain, b.gain);
  EXPECT_EQ(a.threshold, b.threshold);
  EXPECT_EQ(a.growth, b.growth);
  EXPECT_EQ(a.tau_slope, b.tau_slope);
  EXPECT_EQ(a.quantiles, b.quantiles);
  EXPECT_EQ(a.decoder, b.decoder);
  EXPECT_EQ(a.bias, b.bias);
  EXPECT_EQ(a.levels, b.levels);
}

inline void expect_same(const ModelParts& a, const ModelParts& b) {
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.dictionary, b.dictionary);
  EXPECT_EQ(a.dual, b.dual);
  EXPECT_EQ(a.penalty, b.penalty);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.transform.options(), b.transform.options());
  EXPECT_EQ(a.transform.feature_means(), b.transform.feature_means());
  ASSERT_EQ(a.encoders.size(), b.encoders.size());
  for (std::size_t i = 0; i < a.encoders.size(); ++i) expect_same(a.encoders[i], b.encoders[i]);
}

}  // namespace dualdict
