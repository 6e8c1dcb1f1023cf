// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/online.h"

#include <gtest/gtest.h>

#include "data/source_stream.h"
#include "dualdict/error.h"
#include "learn/fit_case.h"

namespace dualdict {
namespace {

std::unique_ptr<DataSource> rows_of(const Matrix<double>& samples, std::size_t first, std::size_t count) {
  return make_source(samples.view().row_range(first, count));
}

// Feeds the samples in blocks of these sizes, again and again until they are used up.
OnlineLearner feed(const Matrix<double>& samples, const LearnOptions& options, const std::vector<std::size_t>& sizes) {
  OnlineLearner learner(options);
  std::size_t first = 0;
  for (std::size_t i = 0; first < samples.rows(); ++i) {
    const std::size_t count = std::min(sizes[i % sizes.size()], samples.rows() - first);
    learner.update(*rows_of(samples, first, count));
    first += count;
  }
  return learner;
}

// Blocks only fill the pieces that a stream is read in.
TEST(OnlineLearner, HoweverBlocksAreCutTheBitsAreThoseOfTheStream) {
  const Matrix<double> samples = planted_samples(1500, 10, 12, 1);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64})
    for (const double eta : {0.0, 1.0}) {
      LearnOptions options = small_options(12, 0.2, Solver::kFast, dtype);
      options.eta = eta;
      SourceStream stream(make_source(samples.view()));
      const LearnResult streamed = learn_stream(stream, options);
      for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{1500}, {256}, {1, 700, 13}}) {
        const OnlineLearner learner = feed(samples, options, sizes);
        const LearnResult result = learner.result();
        EXPECT_EQ(result.model.dictionary(), streamed.model.dictionary()) << sizes[0];
        EXPECT_EQ(result.model.dual(), streamed.model.dual()) << sizes[0];
        EXPECT_EQ(learner.dictionary(), streamed.model.dictionary()) << sizes[0];
        EXPECT_EQ(learner.n_samples(), 1500u);
      }
    }
}

// Their square would be gigabytes for samples of tens of thousands of features.
TEST(OnlineLearner, OfWideSamplesNoPairsOfFeaturesAreSummed) {
  const Matrix<double> samples = planted_samples(150, 1100, 12, 1);
  LearnOptions options = small_options(6, 0.2);
  options.eta.reset();
  const OnlineLearner learner = feed(samples, options, {40});
  EXPECT_TRUE(learner.samples_by_samples().empty());
  const ModelParts parts = learner.result().model.parts();
  EXPECT_EQ(parts.eta, 0);
  EXPECT_FALSE(parts.dual == parts.dictionary);  // fitted in the end
  options.eta = 0.1;                             // asked for
  EXPECT_EQ(feed(samples, options, {40}).samples_by_samples().rows(), 1100u);
}

// To ask for the dictionary between two blocks changes nothing of what comes.
TEST(OnlineLearner, LookingDoesNotDisturb) {
  const Matrix<double> samples = planted_samples(900, 10, 12, 1);
  const LearnOptions options = small_options(12, 0.2);
  OnlineLearner looked(options);
  for (std::size_t first = 0; first < 900; first += 100) {
    looked.update(*rows_of(samples, first, 100));
    EXPECT_EQ(looked.dictionary().rows(), 12u);
    EXPECT_LE(largest_row_norm(looked.dual()), 1 + 1e-6);
  }
  EXPECT_EQ(looked.dictionary(), feed(samples, options, {900}).dictionary());
}

TEST(OnlineLearner, ComesCloseToTheBatchLearner) {
  const Matrix<double> samples = planted_samples(4000, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  const double batch = fit(samples, options).summary.energy.total() / 4000;
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{100}, {1, 250, 30}, {4000}}) {
    OnlineLearner learner = feed(samples, options, sizes);
    for (int pass = 0; pass < 4; ++pass)
      for (std::size_t first = 0; first < 4000; first += 500) learner.update(*rows_of(samples, first, 500));
    const LearnResult result = learner.result();
    EXPECT_LT(result.summary.energy.total() / 8000, 1.1 * batch) << sizes[0];  // 20,000 seen, 8000 kept
    EXPECT_LE(largest_row_norm(result.model.dictionary()), 1 + 1e-6);
    EXPECT_LE(largest_row_norm(result.model.dual()), 1 + 1e-6);
    EXPECT_FALSE(result.model.parts().encoders.empty());
  }
}

TEST(OnlineLearner, AnyNumberOfThreadsGivesTheSameBits) {
  const Matrix<double> samples = planted_samples(2500, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.n_threads = 1;
  const OnlineLearner one = feed(samples, options, {700, 3});
  options.n_threads = 3;
  const OnlineLearner three = feed(samples, options, {700, 3});
  EXPECT_EQ(one.dictionary(), three.dictionary());
  EXPECT_EQ(one.dual(), three.dual());
}

TEST(OnlineLearner, GoesOnFromItsBytesWithTheSameBits) {
  const Matrix<double> samples = planted_samples(900, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.tau.reset();
  options.nonzeros = 3;
  OnlineLearner whole = feed(samples, options, {300});
  OnlineLearner half(options);
  half.update(*rows_of(samples, 0, 300));
  OnlineLearner other = OnlineLearner::from_bytes(half.to_bytes());
  other.update(*rows_of(samples, 300, 300));
  other.update(*rows_of(samples, 600, 300));
  EXPECT_EQ(other.dictionary(), whole.dictionary());
  EXPECT_EQ(other.to_bytes(), whole.to_bytes());
  std::string damaged = half.to_bytes();
  damaged.resize(damaged.size() - 8);
  EXPECT_THROW(OnlineLearner::from_bytes(damaged), Error);
}

TEST(OnlineLearner, FollowsTheWantedNonzeros) {
  const Matrix<double> samples = planted_samples(4000, 10, 12, 1);
  LearnOptions options = small_options(12, 0.2);
  options.tau.reset();
  options.nonzeros = 3;
  EXPECT_NEAR(feed(samples, options, {100}).result().summary.nonzeros_per_code, 3, 0.3);
}

TEST(OnlineLearner, StartsFromASingleSample) {
  const Matrix<double> samples = planted_samples(400, 10, 12, 1);
  const OnlineLearner learner = feed(samples, small_options(12, 0.05), {1});
  const LearnResult result = learner.result();
  EXPECT_EQ(result.summary.dead_atoms, 0u);
  const Matrix<double>& atoms = result.model.dictionary();
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_LT(std::abs(dot(atoms.row(i), atoms.row(j), 10)), 0.99);
}

TEST(OnlineLearner, RefusesWhatItCannotUseAndStaysAsItWas) {
  PreprocessOptions centred;
  centred.center_features = true;
  EXPECT_THROW(OnlineLearner(small_options(12, 0.2), centred), Error);
  OnlineLearner learner(small_options(12, 0.2));
  EXPECT_THROW(learner.result(), Error);
  learner.update(*rows_of(planted_samples(50, 10, 12, 1), 0, 50));
  const std::string before = learner.to_bytes();
  Matrix<double> broken = planted_samples(50, 10, 12, 2);
  broken(17, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(learner.update(*make_source(broken.view())), Error);
  EXPECT_THROW(learner.update(*rows_of(planted_samples(50, 9, 12, 1), 0, 50)), Error);
  EXPECT_EQ(learner.to_bytes(), before);
}

}  // namespace
}  // namespace dualdict
