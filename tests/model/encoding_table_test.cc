// SPDX-License-Identifier: BSD-3-Clause
#include "model/table/encoding_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>

#include "core/random.h"
#include "dualdict/encode.h"
#include "linalg/vectors.h"
#include "model/fit_encoders.h"
#include "model/table/advice.h"
#include "model/table/baselines.h"
#include "problems/planted.h"
#include "problems/random_matrix.h"
#include "problems/small_model.h"

namespace dualdict {
namespace {

std::map<std::string, EncodingRow> by_name(const EncodingTable& table) {
  std::map<std::string, EncodingRow> rows;
  for (const EncodingRow& row : table.rows) rows[row.mode] = row;
  return rows;
}

bool finite(const Matrix<double>& values) {
  return std::all_of(values.data(), values.data() + values.size(), [](double value) { return std::isfinite(value); });
}
bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}
bool finite(const FittedEncoder& encoder) {
  bool all = finite(encoder.decoder);
  for_each_tensor(encoder, [&](std::string_view, TensorColumns, const auto& tensor) { all = all && finite(tensor); });
  return all;
}

TEST(EncodingTable, RanksTheModesAsTheirCostsDo) {
  const Planted planted = make_planted(1600, 16, 24, 4, 0.05, 5);
  ModelParts parts;
  parts.tau = 0.2;
  parts.eta = 1;
  parts = learn_briefly(parts, planted.dictionary, planted.samples, 5);
  const Matrix<float> samples = convert<float>(planted.samples);
  const MatrixView<const float> all = samples.view();
  fit_and_measure_encoders<float>(parts, {all.row_range(0, 1000), all.row_range(1000, 600), true}, {2});
  const EncodingTable& table = parts.provenance.encoding;
  EXPECT_EQ(table.n_fit, 1000u);
  EXPECT_EQ(table.n_measured, 600u);
  EXPECT_TRUE(table.held_out);
  EXPECT_TRUE(table.unseen);
  auto rows = by_name(table);
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_LT(rows["sparse"].code_error, rows["linear"].code_error);
  EXPECT_LT(rows["corrected"].code_error, rows["sparse"].code_error);
  EXPECT_LT(rows["corrected"].energy_excess, rows["sparse"].energy_excess);
  EXPECT_LT(rows["sparse"].code_error, rows["threshold D'x"].code_error);
  EXPECT_LT(rows["refine:3"].energy_excess, rows["refine:1"].energy_excess);
  EXPECT_LT(rows["refine:1"].energy_excess, rows["sparse"].energy_excess);
  EXPECT_LT(rows["exact"].code_error, 1e-2);
  EXPECT_LT(std::abs(rows["exact"].energy_excess), 1e-5);
  EXPECT_GT(rows["exact"].support_overlap, 0.98);
  EXPECT_LT(rows["exact"].debiased_reconstruction_error, rows["exact"].reconstruction_error);
  EXPECT_LT(rows["sparse"].reconstruction_error, rows["sparse"].dictionary_reconstruction_error);
  EXPECT_EQ(rows["linear"].nonzeros, 24);
  EXPECT_NEAR(rows["threshold D'x"].nonzeros, rows["exact"].nonzeros, 0.01);
  EXPECT_TRUE(std::isnan(rows["pca"].code_error));
  EXPECT_GT(rows["linear"].samples_per_second, 0);
  for (const char* mode : {"linear", "sparse", "corrected", "refine:1", "refine:3", "exact"}) {
    EXPECT_GE(rows[mode].worst_error, rows[mode].reconstruction_error) << mode;
    EXPECT_LT(rows[mode].worst_error, 1.5) << mode;
  }
  for (const char* mode : {"sparse", "corrected"})
    EXPECT_NEAR(rows[mode].nonzeros, rows["exact"].nonzeros, 0.05 * rows["exact"].nonzeros) << mode;
  EXPECT_NEAR(rows["greedy"].nonzeros, rows["exact"].nonzeros, 0.05 * rows["exact"].nonzeros);
  EXPECT_LT(rows["greedy"].debiased_reconstruction_error, rows["exact"].debiased_reconstruction_error);
  EXPECT_LT(rows["greedy"].reconstruction_error, rows["samples greedy"].reconstruction_error);
  EXPECT_EQ(rows.count("omp:" + std::to_string(std::lround(rows["exact"].nonzeros))), 1u);
  EXPECT_EQ(rows["pca hard"].reconstruction_error, rows["exact"].pca_error);
  EXPECT_LT(rows["pca hard"].reconstruction_error, rows["pca"].reconstruction_error);
}

TEST(BasisErrors, AreThoseOfNaiveProjections) {
  const Planted planted = make_planted(50, 6, 8, 3, 0.1, 9);
  ThreadPool pool(2);
  const MatrixView<const double> samples = planted.samples.view();
  const Basis basis = pca_basis(samples, pool);
  const BasisErrors errors(basis, samples, pool);
  for (const std::size_t kept : {0u, 2u, 6u}) {
    double left = 0;
    std::vector<double> squares;
    for (std::size_t i = 0; i < 50; ++i)
      for (std::size_t v = 0; v < 6; ++v) {
        double score = 0;
        for (std::size_t f = 0; f < 6; ++f) score += basis.vectors(v, f) * (samples(i, f) - basis.origin[f]);
        squares.push_back(score * score);
        if (v < 6 - kept) left += score * score;
      }
    EXPECT_NEAR(errors.leading(kept), std::sqrt(left / squared_norm(planted.samples)), 1e-7);
    std::sort(squares.begin(), squares.end());
    left = 0;
    for (std::size_t i = 0; i < squares.size() - kept * 50; ++i) left += squares[i];
    EXPECT_NEAR(errors.hard(static_cast<double>(kept)), std::sqrt(left / squared_norm(planted.samples)), 1e-7);
  }
}

TEST(BasisErrors, CosinesOfAPatchAreOrthonormal) {
  const Basis basis = dct_basis(3, 4, 12);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j)
      EXPECT_NEAR(dot(basis.vectors.row(i), basis.vectors.row(j), 12), i == j ? 1 : 0, 1e-12);
  EXPECT_NEAR(basis.vectors(0, 5), std::sqrt(1.0 / 12), 1e-12);
  EXPECT_TRUE(dct_basis(3, 4, 13).vectors.empty());
}

TEST(Advice, ComesWhenPrincipalComponentsAreBetter) {
  EncodingTable table;
  EncodingRow row;
  row.mode = "exact";
  row.nonzeros = 5;
  row.reconstruction_error = 0.5;
  row.debiased_reconstruction_error = 0.4;
  row.samples_per_second = 1000;
  row.pca_error = 0.41;
  table.rows.push_back(row);
  EXPECT_EQ(advice_on(table, 20, 10, 0.03), "");
  table.rows[0].pca_error = 0.39;
  EXPECT_NE(advice_on(table, 20, 10, 4).find("--coding .03"), std::string::npos);
  EXPECT_NE(advice_on(table, 5 + 1, 10, 0.03).find("more --atoms"), std::string::npos);
  EXPECT_NE(advice_on(table, 20, 10, 0.03).find("exact"), std::string::npos);
  // Dense codes and baselines decide nothing.
  row.mode = "linear";
  row.nonzeros = 20;
  row.debiased_reconstruction_error = 0;
  table.rows.push_back(row);
  EXPECT_NE(advice_on(table, 20, 10, 0.03), "");
}

// An eighth of the atoms is used by few samples each; before, their rows of the decoder had norms of hundreds.
TEST(FitEncoders, NothingExplodesWhereAtomsAreRare) {
  constexpr std::size_t kFit = 1200, kUnseen = 600, kSampleSize = 48, kAtomCount = 160;
  Planted planted = make_planted(kFit + kUnseen, kSampleSize, kAtomCount, 8, 0.02, 11);
  for (std::size_t i = 0; i < planted.samples.rows(); ++i) {
    double* x = planted.samples.row(i);
    const double length = norm(x, kSampleSize);
    for (std::size_t j = 0; j < kSampleSize; ++j) x[j] /= length;
  }
  Random random(12);
  for (std::size_t j = 140; j < kAtomCount; ++j) {  // atoms that nothing was made of
    double* atom = planted.dictionary.row(j);
    for (std::size_t f = 0; f < kSampleSize; ++f) atom[f] = random.normal();
    const double length = norm(atom, kSampleSize);
    for (std::size_t f = 0; f < kSampleSize; ++f) atom[f] /= length;
  }
  ModelParts parts;
  parts.tau = 0.15;
  parts.eta = 0.1;
  parts = learn_briefly(parts, planted.dictionary, convert<double>(planted.samples.view().row_range(0, kFit)), 2);
  const Matrix<float> samples = convert<float>(planted.samples);
  const MatrixView<const float> all = samples.view();
  fit_and_measure_encoders<float>(parts, {all.row_range(0, kFit), all.row_range(kFit, kUnseen), true}, {2});
  auto rows = by_name(parts.provenance.encoding);
  for (const char* mode : {"sparse", "corrected"}) {
    EXPECT_LT(rows[mode].worst_error, 1.0) << mode;
    EXPECT_LT(rows[mode].reconstruction_error, 1.01 * rows[mode].dictionary_reconstruction_error) << mode;
    EXPECT_NEAR(rows[mode].nonzeros, rows["exact"].nonzeros, 0.1 * rows["exact"].nonzeros) << mode;
  }
  for (const FittedEncoder& encoder : parts.encoders)
    for (std::size_t j = 0; j < encoder.decoder.rows(); ++j)
      EXPECT_LT(norm(encoder.decoder.row(j), kSampleSize), 3) << j;
}

TEST(EncodingTable, ReconstructionErrorIsThatOfDecode) {
  const Planted planted = make_planted(300, 8, 12, 3, 0.05, 6);
  ModelParts parts;
  parts.dtype = DType::kFloat64;
  parts.tau = 0.2;
  parts.eta = 1;
  parts = learn_briefly(parts, planted.dictionary, planted.samples, 3);
  fit_and_measure_encoders<double>(parts, {planted.samples.view(), {}, false}, {1});
  EXPECT_FALSE(parts.provenance.encoding.held_out);
  const Model model(parts);
  Matrix<double> codes(300, 12), decoded(300, 8);
  EncodeOptions options;
  options.debias = false;
  const Encoder encoder(model, options);
  encoder.encode(planted.samples.view(), codes.view());
  encoder.decode(codes.view(), decoded.view());
  EXPECT_NEAR(by_name(parts.provenance.encoding)["sparse"].reconstruction_error,
              relative_change(decoded, planted.samples), 1e-10);
  Decoder(model, "sparse", DecodeWith::kDictionary).decode(codes.view(), decoded.view());
  EXPECT_NEAR(by_name(parts.provenance.encoding)["sparse"].dictionary_reconstruction_error,
              relative_change(decoded, planted.samples), 1e-10);
}

template <class T>
void expect_sane(std::size_t n, std::size_t d, std::size_t n_atoms, double tau, double scale, DType dtype) {
  Planted planted = make_planted(n, d, n_atoms, 1, 0.1, n + d + n_atoms);
  for (std::size_t i = 0; i < planted.samples.size(); ++i) planted.samples.data()[i] *= scale;
  ModelParts parts;
  parts.dtype = dtype;
  parts.tau = tau;
  parts.eta = 1;
  parts = learn_briefly(parts, planted.dictionary, planted.samples, 1);
  const Matrix<T> samples = convert<T>(planted.samples);
  fit_and_measure_encoders<T>(parts, {samples.view(), {}, false}, {1});
  for (const FittedEncoder& encoder : parts.encoders) EXPECT_TRUE(finite(encoder)) << encoder.mode;
  for (const EncodingRow& row : parts.provenance.encoding.rows) {
    EXPECT_TRUE(std::isfinite(row.reconstruction_error)) << row.mode;
    if (row.mode.starts_with("pca") || row.mode == "samples greedy") continue;
    EXPECT_TRUE(std::isfinite(row.code_error) && std::isfinite(row.energy_excess)) << row.mode;
  }
}

TEST(FitEncoders, TinyAndDegenerateProblemsGiveFiniteTensors) {
  for (const std::size_t n : {1, 2, 30})
    for (const std::size_t d : {1, 3})
      for (const std::size_t n_atoms : {1, 5})
        for (const double tau : {0.0, 0.1, 1e30})
          for (const double scale : {0.0, 1e-30, 1.0, 1e30}) {
            SCOPED_TRACE(testing::Message()
                         << n << " x " << d << ", K " << n_atoms << ", tau " << tau << ", scale " << scale);
            expect_sane<double>(n, d, n_atoms, tau, scale, DType::kFloat64);
            if (scale <= 1) expect_sane<float>(n, d, n_atoms, tau, scale, DType::kFloat32);
          }
}

TEST(FitEncoders, TakesExactCodesThatAreThereAlready) {
  const Planted planted = make_planted(600, 8, 12, 3, 0.05, 6);
  ModelParts parts;
  parts.dtype = DType::kFloat64;
  parts.tau = 0.2;
  parts.eta = 1;
  parts = learn_briefly(parts, planted.dictionary, planted.samples, 3);
  const Matrix<double> codes = solve_codes(parts, planted.samples, 1e-8);
  ModelParts made = parts;
  fit_and_measure_encoders<double>(made, {planted.samples.view(), {}, false}, {1});
  fit_and_measure_encoders<double>(parts, {planted.samples.view(), {}, false, codes.view()}, {1});
  EXPECT_LT(relative_change(parts.find_encoder("corrected")->weights, made.find_encoder("corrected")->weights), 1e-2);
  EXPECT_NEAR(by_name(parts.provenance.encoding)["corrected"].code_error,
              by_name(made.provenance.encoding)["corrected"].code_error, 1e-3);
}

TEST(FitEncoders, AnInterruptLeavesOutWhatIsNotReady) {
  const Planted planted = make_planted(600, 8, 12, 3, 0.05, 6);
  ModelParts parts;
  parts.tau = 0.2;
  parts.dictionary = parts.dual = planted.dictionary;
  const std::atomic<bool> wish = true;
  const Interrupt at_once(&wish);
  const Matrix<float> samples = convert<float>(planted.samples);
  EXPECT_FALSE(fit_and_measure_encoders<float>(parts, {samples.view(), {}, false}, {2, &at_once}));
  EXPECT_TRUE(parts.encoders.empty());
  EXPECT_TRUE(parts.provenance.encoding.rows.empty());
  EncodeOptions options;
  options.mode = "linear";
  EXPECT_NO_THROW(Encoder(Model(parts), options));
  const Interrupt later(&wish, 1e3);
  EXPECT_TRUE(fit_and_measure_encoders<float>(parts, {samples.view(), {}, false}, {2, &later}));
  EXPECT_NE(parts.find_encoder("corrected"), nullptr);
  EXPECT_FALSE(parts.provenance.encoding.rows.empty());
}

TEST(FitEncoders, WithoutSamplesNothingIsFitted) {
  const Planted planted = make_planted(2, 3, 4, 1, 0.1, 1);
  ModelParts parts;
  parts.dictionary = parts.dual = planted.dictionary;
  fit_and_measure_encoders<double>(parts, {{}, {}, false}, {1});
  EXPECT_TRUE(parts.encoders.empty());
  EXPECT_TRUE(parts.provenance.encoding.rows.empty());
}

// Before, a block of 256 samples was coded without looking: seconds, where atoms are many and tau is small.
TEST(EncodeInPieces, SlowCodesAreLeftWithinABlock) {
  ModelParts parts;
  parts.dictionary = parts.dual = random_unit_rows(1000, 32, 1);
  parts.tau = 0.001;
  parts.eta = 1;
  parts.mean_norm = 1;
  EncodeOptions options;
  options.mode = "exact";
  options.debias = false;
  options.gap = 1e-7;
  options.n_threads = 1;
  const Encoder encoder(Model(std::move(parts)), options);
  const Matrix<double> samples = random_unit_rows(256, 32, 2);
  Matrix<double> codes(256, 1000);
  Interrupt interrupt(nullptr);
  interrupt.end_at(Interrupt::Clock::now() + std::chrono::milliseconds(50));
  EXPECT_THROW(encode_in_pieces<double>(encoder, samples.view(), {1, &interrupt, nullptr}, codes.view()), Interrupted);
  const double* last = codes.row(255);
  EXPECT_TRUE(std::all_of(last, last + codes.cols(), [](double code) { return code == 0; }));
}

}  // namespace
}  // namespace dualdict
