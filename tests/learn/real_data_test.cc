// SPDX-License-Identifier: BSD-3-Clause
// Berkeley patches (10,000 of 12 x 12, K = 200, eta = 1) and digits. Needs DUALDICT_DATA, a folder that holds
// bsds/train and mnist.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "dualdict/encode.h"
#include "dualdict/learn.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

class RealData : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("DUALDICT_DATA");
    if (folder == nullptr || *folder == '\0')
      GTEST_SKIP() << "DUALDICT_DATA is not set: the tests on real data did not run";
    folder_ = std::string(folder) + "/bsds/train";
    digits_ = std::string(folder) + "/mnist/t10k-images-idx3-ubyte.gz";
  }

  std::unique_ptr<DataSource> patches(std::size_t n, std::uint64_t seed) const {
    DataOptions options;
    options.patches = PatchOptions{.height = 12, .width = 12, .n_samples = n, .seed = seed, .color = ImageColor::kGrey};
    return open_data({folder_}, options);
  }

  static LearnContext paper_context() {
    LearnContext context;
    context.preprocess.scale = 125;
    context.preprocess.center_samples = true;
    return context;
  }
  static LearnOptions paper_options(double tau) {
    LearnOptions options;
    options.n_atoms = 200;
    options.tau = tau;
    options.eta = 1;
    return options;
  }

  // E, the certificate and the constraints hold on real data too.
  static void expect_sound(const LearnSummary& summary, const Model& model) {
    testing::Test::RecordProperty("iterations", static_cast<int>(summary.n_iterations));
    EXPECT_LE(summary.max_kkt_residual, 1e-3);
    EXPECT_LE(summary.duality_gap, 1e-4);
    double previous = INFINITY;
    for (const IterationRecord& record : summary.iterations) {
      if (record.iteration > 1) {  // the first has no codes of all samples before it
        EXPECT_LE(record.energy_after_codes, record.energy_before_codes * (1 + 1e-6)) << record.iteration;
      }
      if (record.replaced_atoms == 0) {
        EXPECT_LE(record.energy.total(), previous * (1 + 1e-6)) << record.iteration;
      }
      if (record.replaced_atoms == 0) {
        EXPECT_LE(record.energy_after_dictionary, record.energy_after_codes * (1 + 1e-6)) << record.iteration;
      }
      EXPECT_LE(record.energy.total(), record.energy_after_dictionary * (1 + 1e-6)) << record.iteration;
      previous = record.energy.total();
    }
    for (std::size_t i = 0; i < model.n_atoms(); ++i) {
      EXPECT_LE(norm(model.dictionary().row(i), model.n_features()), 1 + 1e-6);
      EXPECT_LE(norm(model.dual().row(i), model.n_features()), 1 + 1e-6);
    }
  }

  static void expect_nonzeros(const LearnResult& result, double expected) {
    EXPECT_NEAR(result.summary.nonzeros_per_code, expected, 0.1 * expected) << result.summary.message;
    // And it has come to rest: no more than 5 % over the second half of the iterations.
    const auto& iterations = result.summary.iterations;
    EXPECT_NEAR(iterations[iterations.size() / 2].nonzeros_per_code, result.summary.nonzeros_per_code, 0.05 * expected);
  }

  // The first samples of a source, preprocessed, as float32 numbers, so that both precisions learn from the same.
  static Matrix<double> first_samples(const DataSource& data, std::size_t n, const PreprocessOptions& preprocess) {
    Matrix<double> samples(n, data.n_features());
    data.read(0, samples.view());
    Transform(preprocess, {}).apply(samples.view());
    return convert<double>(convert<float>(samples));
  }

  std::string folder_;
  std::string digits_;
};

void expect_what_naive_code_finds(const Matrix<double>& samples, LearnOptions options) {
  options.max_iterations = 8;
  for (const Solver solver : {Solver::kFast, Solver::kFista}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      options.solver = solver;
      options.dtype = dtype;
      const LearnResult result = fit(samples, options);
      const Matrix<double>& dictionary = result.model.dictionary();
      const Matrix<double>& dual = result.model.dual();
      const Matrix<double> codes = codes_of(result, samples);
      const double expected = naive_energy(objective_of(result), dictionary, dual, samples, codes).total();
      EXPECT_NEAR(result.summary.energy.total(), expected, energy_tolerance(dtype) * expected) << describe(options);
      EXPECT_LE(result.summary.max_kkt_residual, dtype == DType::kFloat32 ? 1e-3 : 1e-8) << describe(options);
      EXPECT_LE(result.summary.duality_gap, dtype == DType::kFloat32 ? 1e-4 : 1e-8) << describe(options);
      EXPECT_LE(largest_row_norm(dictionary), 1 + ball_tolerance(dtype)) << describe(options);
      EXPECT_LE(largest_row_norm(dual), 1 + ball_tolerance(dtype)) << describe(options);
      expect_no_step_raises_energy(result.summary, options);
    }
  }
}

TEST_F(RealData, PatchesByEverySolverAndPrecisionAreWhatNaiveCodeFinds) {
  const Matrix<double> samples = first_samples(*patches(300, 2), 300, paper_context().preprocess);
  LearnOptions options = paper_options(0.1);
  options.n_atoms = 60;
  expect_what_naive_code_finds(samples, options);
}
TEST_F(RealData, DigitsByEverySolverAndPrecisionAreWhatNaiveCodeFinds) {
  const Matrix<double> samples = first_samples(*open_data({digits_}), 40, {.scale = 255});
  LearnOptions options = paper_options(0.1);
  options.n_atoms = 30;
  options.eta = 0.001;
  expect_what_naive_code_finds(samples, options);
}

// Atoms of digits overlap: D that moves too far at a time is led astray, and E is several percent higher after the
// warm-up.
TEST_F(RealData, TheWarmUpOnDigitsLeadsMostOfTheWay) {
  LearnOptions options = paper_options(0.1);
  options.n_atoms = 128;
  options.eta = 0;
  options.max_iterations = 10;
  LearnContext context;
  context.preprocess.scale = 255;
  const LearnSummary summary = learn(*open_data({digits_}), options, context).summary;
  EXPECT_LT(summary.iterations.front().energy.total(), 1.015 * summary.iterations.back().energy.total());
}

TEST_F(RealData, NonzerosAtTauOne) {
  LearnOptions options = paper_options(1);
  options.max_iterations = 60;
  const LearnResult result = learn(*patches(10000, 0), options, paper_context());
  expect_nonzeros(result, 5.9);
  expect_sound(result.summary, result.model);
}
TEST_F(RealData, NonzerosAtTauOneFiftieth) {
  LearnOptions options = paper_options(0.02);
  options.max_iterations = 12;  // the number has come to rest long before E has
  const LearnResult result = learn(*patches(10000, 0), options, paper_context());
  expect_nonzeros(result, 141);
  expect_sound(result.summary, result.model);
}

const EncodingRow& row_of(const EncodingTable& table, const std::string& mode) {
  for (const EncodingRow& row : table.rows)
    if (row.mode == mode) return row;
  throw std::runtime_error("the table has no row " + mode);
}

// One fit serves the nonzeros and the encoders at tau = 0.1, with 3,000 patches that it did not see.
TEST_F(RealData, NonzerosAndEncodersAtTauOneTenth) {
  const auto unseen = patches(3000, 1);
  LearnContext context = paper_context();
  context.validation = unseen.get();
  LearnOptions options = paper_options(0.1);
  options.max_iterations = 20;
  const LearnResult result = learn(*patches(10000, 0), options, context);
  expect_nonzeros(result, 65);
  expect_sound(result.summary, result.model);

  const EncodingTable& table = result.model.parts().provenance.encoding;
  EXPECT_TRUE(table.unseen);
  EXPECT_EQ(table.n_measured, 3000u);
  const EncodingRow& sparse = row_of(table, "sparse");
  EXPECT_LE(sparse.code_error, 1.1 * 0.12);
  // .042 at the thresholds of least code error; those in use give as many nonzeros as exact codes have.
  EXPECT_LE(sparse.energy_excess, 1.1 * 0.065);
  const EncodingRow& corrected = row_of(table, "corrected");
  EXPECT_LE(corrected.code_error, 1.1 * 0.05);
  EXPECT_LE(corrected.energy_excess, 1.1 * 0.011);

  EncodeOptions linear;
  linear.mode = "linear";
  Matrix<float> x(500, 144);
  unseen->read(0, x.view());
  Matrix<float> codes(500, 200);
  Encoder(result.model, linear).encode(x.view(), codes.view());
  result.model.parts().transform.apply(x.view());
  const Matrix<double> samples = convert<double>(x);
  for (std::size_t i = 0; i < 500; ++i) {
    const std::vector<double> expected = naive_prediction(result.model.dual(), samples.row(i));
    const double scale = norm(samples.row(i), 144);
    for (std::size_t k = 0; k < 200; ++k)
      ASSERT_NEAR(static_cast<double>(codes(i, k)), expected[k], 1e-5 * scale) << i << ", " << k;
  }
}

}  // namespace
}  // namespace dualdict
