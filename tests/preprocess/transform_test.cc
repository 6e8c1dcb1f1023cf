// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.h"
#include "dualdict/error.h"
#include "dualdict/preprocess.h"

namespace dualdict {
namespace {

// Samples in memory, read as they are.
class TestSource final : public DataSource {
 public:
  explicit TestSource(Matrix<double> samples) : samples_(std::move(samples)) {}
  std::size_t n_samples() const override { return samples_.rows(); }
  std::size_t n_features() const override { return samples_.cols(); }
  ElementType element_type() const override { return ElementType::kFloat64; }
  SampleShape sample_shape() const override { return {}; }
  std::string name() const override { return "test samples"; }
  void read(std::size_t first, MatrixView<float> out) const override { copy(first, out); }
  void read(std::size_t first, MatrixView<double> out) const override { copy(first, out); }

 private:
  template <class T>
  void copy(std::size_t first, MatrixView<T> out) const {
    for (std::size_t i = 0; i < out.rows; ++i)
      for (std::size_t j = 0; j < out.cols; ++j) out(i, j) = static_cast<T>(samples_(first + i, j));
  }
  Matrix<double> samples_;
};

Matrix<double> random_samples(std::size_t n, std::size_t d) {
  Random random(3);
  Matrix<double> samples(n, d);
  for (std::size_t i = 0; i < samples.size(); ++i) samples.data()[i] = 100.0 * random.uniform();
  return samples;
}

PreprocessOptions everything() {
  return {.scale = 255.0, .center_features = true, .center_samples = true, .unit_norm = true};
}

TEST(Transform, DefaultLeavesEveryBit) {
  const Transform identity;
  EXPECT_TRUE(identity.is_identity());
  Matrix<double> samples = random_samples(4, 5);
  const Matrix<double> before = samples;
  identity.apply(samples.view());
  EXPECT_TRUE(samples == before);
  identity.invert(samples.view());
  EXPECT_TRUE(samples == before);
}

TEST(Transform, FollowsTheDocumentedOrder) {
  const Matrix<double> raw = random_samples(5000, 7);  // more than a block
  const Transform transform = Transform::fit(everything(), TestSource(raw));
  EXPECT_FALSE(transform.is_identity());
  Matrix<double> samples = raw;
  transform.apply(samples.view());
  for (std::size_t j = 0; j < 7; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < 5000; ++i) sum += raw(i, j) / 255.0;
    EXPECT_NEAR(transform.feature_means()[j], sum / 5000, 1e-14);
  }
  for (std::size_t i = 0; i < 5000; i += 997) {
    double expected[7];
    double mean = 0;
    for (std::size_t j = 0; j < 7; ++j) mean += expected[j] = raw(i, j) / 255.0 - transform.feature_means()[j];
    double square = 0;
    for (double& value : expected) {
      value -= mean / 7;
      square += value * value;
    }
    for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(samples(i, j), expected[j] / std::sqrt(square), 1e-14);
  }
}

TEST(Transform, FloatIsTheDoubleResultRoundedOnce) {
  const Matrix<double> raw = convert<double>(convert<float>(random_samples(300, 7)));
  const Transform transform = Transform::fit(everything(), TestSource(raw));
  Matrix<double> exact = raw;
  Matrix<float> rounded = convert<float>(raw);
  transform.apply(exact.view());
  transform.apply(rounded.view());
  EXPECT_TRUE(rounded == convert<float>(exact));
}

TEST(Transform, RowDoesNotDependOnOthers) {
  const Matrix<double> raw = random_samples(50, 9);
  const Transform transform = Transform::fit(everything(), TestSource(raw));
  Matrix<double> together = raw;
  transform.apply(together.view());
  for (std::size_t i = 0; i < 50; ++i) {
    Matrix<double> alone(1, 9);
    for (std::size_t j = 0; j < 9; ++j) alone(0, j) = raw(i, j);
    transform.apply(alone.view());
    for (std::size_t j = 0; j < 9; ++j) EXPECT_EQ(alone(0, j), together(i, j));
  }
}

TEST(Transform, ConstantAndZeroSamplesBecomeExactlyZero) {
  const Transform transform({.scale = 1.0, .center_features = false, .center_samples = true, .unit_norm = true}, {});
  for (const double value : {0.0, 0.1, 1.0 / 3.0, 1e-30, 1e30, -77.7}) {
    Matrix<double> samples(1, 144);
    for (std::size_t j = 0; j < 144; ++j) samples(0, j) = value;
    transform.apply(samples.view());
    for (std::size_t j = 0; j < 144; ++j) EXPECT_EQ(samples(0, j), 0.0) << value;
  }
}

TEST(Transform, UnitNormHoldsForVerySmallAndLargeSamples) {
  const Transform transform({.scale = 1.0, .center_features = false, .center_samples = false, .unit_norm = true}, {});
  for (const double size : {1e-200, 1e-30, 1.0, 1e30, 1e200}) {
    Matrix<double> samples(1, 2);
    samples(0, 0) = 3 * size;
    samples(0, 1) = -4 * size;
    transform.apply(samples.view());
    EXPECT_NEAR(samples(0, 0), 0.6, 1e-15);
    EXPECT_NEAR(samples(0, 1), -0.8, 1e-15);
  }
}

TEST(Transform, InvertRestoresScaleAndFeatureMeans) {
  const Matrix<double> raw = random_samples(20, 6);
  const Transform transform = Transform::fit(
      {.scale = 125.0, .center_features = true, .center_samples = false, .unit_norm = false}, TestSource(raw));
  Matrix<double> samples = raw;
  transform.apply(samples.view());
  transform.invert(samples.view());
  for (std::size_t i = 0; i < raw.size(); ++i) EXPECT_NEAR(samples.data()[i], raw.data()[i], 1e-12);
}

TEST(Transform, ScaleMustBePositiveAndFinite) {
  for (const double scale :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const PreprocessOptions options{.scale = scale, .unit_norm = false};
    try {
      Transform::fit(options, TestSource(random_samples(2, 2)));
      ADD_FAILURE() << scale << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find("--scale"), std::string::npos);
    }
    EXPECT_THROW(Transform(options, {}), Error);
  }
}

TEST(Transform, RefusesWrongShapesAndNaN) {
  const PreprocessOptions centred{.scale = 1.0, .center_features = true};
  EXPECT_THROW(Transform(centred, {}), Error);
  EXPECT_THROW(Transform({}, {1.0}), Error);
  const Transform transform(centred, {1.0, 2.0});
  Matrix<double> three(1, 3);
  EXPECT_THROW(transform.apply(three.view()), Error);
  EXPECT_THROW(transform.invert(three.view()), Error);
  EXPECT_THROW(Transform::fit(centred, TestSource(Matrix<double>(0, 3))), Error);
  Matrix<double> bad = random_samples(5000, 2);
  bad(4500, 1) = std::nan("");
  try {
    Transform::fit(centred, TestSource(bad));
    FAIL() << "NaN was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 4500, column 1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dualdict
