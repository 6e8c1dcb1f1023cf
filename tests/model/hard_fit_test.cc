// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/hard_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/interrupt.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "model/fit/hard_training.h"
#include "model/fit/start_orthonormal.h"
#include "problems/planted.h"
#include "problems/random_matrix.h"
#include "solvers/greedy_codes.h"
#include "solvers/hard_codes.h"

namespace dualdict {
namespace {

// |x - V u - offset|^2 / |x - mean|^2 of samples at the count that the encoder gives there, and that count.
struct HardMeasure {
  double error = 0;
  double nonzeros = 0;
};
HardMeasure measure(const HardEncoder& encoder, const Matrix<double>& x) {
  HardProblem<double> problem;
  problem.assign(encoder.weights.view(), encoder.bias, encoder.threshold, encoder.positive);
  Matrix<double> u(x.rows(), encoder.weights.rows());
  hard_codes<double>(problem, x, u.view());
  const Matrix<double> decoded = multiply<double>(u.view(), encoder.decoder.view());
  std::vector<double> mean(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t f = 0; f < x.cols(); ++f) mean[f] += x(i, f) / static_cast<double>(x.rows());
  double rest = 0, all = 0;
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t f = 0; f < x.cols(); ++f) {
      rest += std::pow(x(i, f) - decoded(i, f) - encoder.offset[f], 2);
      all += std::pow(x(i, f) - mean[f], 2);
    }
  return {all > 0 ? rest / all : rest,
          static_cast<double>(count_nonzeros(u.data(), u.size())) / static_cast<double>(x.rows())};
}

bool all_finite_in(const HardEncoder& encoder) {
  const auto finite = [](double value) { return std::isfinite(value); };
  return all_finite<double>(encoder.weights.view()) && all_finite<double>(encoder.decoder.view()) &&
         std::all_of(encoder.bias.begin(), encoder.bias.end(), finite) &&
         std::all_of(encoder.offset.begin(), encoder.offset.end(), finite) && finite(encoder.threshold);
}

Matrix<double> shifted(Matrix<double> x, double scale, double shift) {
  for (std::size_t e = 0; e < x.size(); ++e) x.data()[e] = scale * x.data()[e] + shift;
  return x;
}

TEST(HardFit, BeatsHardThresholdedPrincipalComponentsOnUnseenSamples) {
  const Planted planted = make_planted(6000, 24, 24, 3, 0.05, 1);
  const Matrix<double>& x = planted.samples;
  const Matrix<double> unseen = convert<double>(x.view().row_range(5000, 1000));
  for (const bool positive : {false, true}) {
    const HardFitOptions options{.n_atoms = 48, .nonzeros = 3, .positive = positive};
    HardFitState report;
    const auto learn = x.view().row_range(0, 5000);
    const HardEncoder encoder = fit_hard<double>(learn, {}, options, calling_thread(), report);
    const HardEncoder principal = fit_principal<double>(learn, options, calling_thread());
    EXPECT_LE(report.best_error, report.start_error);
    EXPECT_LE(report.start_error, report.principal_error);
    const HardMeasure ours = measure(encoder, unseen);
    EXPECT_LT(ours.error, 0.8 * measure(principal, unseen).error);
    EXPECT_NEAR(ours.nonzeros, 3, 0.3);
    for (std::size_t k = 0; k < 48; ++k) EXPECT_NEAR(norm(encoder.decoder.row(k), 24), 1, 1e-5);
  }
}

// What a change of the origin and the unit of the samples does to the encoder.
TEST(HardFit, FollowsScaleAndShift) {
  const Matrix<double> x = make_planted(1500, 10, 10, 2, 0.05, 2).samples;
  const HardFitOptions options{.n_atoms = 20, .nonzeros = 2};
  HardFitState report;
  const HardEncoder encoder = fit_hard<double>(x, {}, options, calling_thread(), report);
  const Matrix<double> far = shifted(x, 1e-9, 3e-7);
  HardFitState far_report;
  const HardEncoder far_encoder = fit_hard<double>(far, {}, options, calling_thread(), far_report);
  EXPECT_NEAR(far_report.best_error, report.best_error, 0.05 * report.best_error);
  EXPECT_NEAR(measure(far_encoder, far).error, measure(encoder, x).error, 0.05);
}

TEST(HardFit, SameBitsForAnyNumberOfThreads) {
  const Matrix<float> x = convert<float>(make_planted(700, 12, 20, 3, 0.1, 3).samples);
  const HardFitOptions options{.n_atoms = 20, .nonzeros = 3, .seed = 7};
  const auto fitted = [&](std::size_t n_threads) {
    ThreadPool pool(n_threads);
    HardFitState report;
    return fit_hard<float>(x, {}, options, pool, report);
  };
  const HardEncoder one = fitted(1);
  for (const std::size_t n_threads : {2, 3, 7}) {
    const HardEncoder other = fitted(n_threads);
    EXPECT_EQ(other.weights, one.weights);
    EXPECT_EQ(other.decoder, one.decoder);
    EXPECT_EQ(other.bias, one.bias);
    EXPECT_EQ(other.threshold, one.threshold);
  }
}

// Few samples, more atoms than features or samples, equal samples, one feature, counts that cannot be had.
TEST(HardFit, IsSafeOnSmallAndDegenerateData) {
  struct Shape {
    std::size_t n, d, n_atoms;
    double nonzeros;
  };
  for (const Shape shape : {Shape{1, 3, 2, 1}, Shape{2, 2, 5, 1}, Shape{30, 2, 40, 7}, Shape{300, 2, 8, 1},
                            Shape{100, 1, 1, 1}, Shape{200, 40, 300, 10}, Shape{50, 5, 5, 5}, Shape{40, 6, 3, 0.2}}) {
    for (const double scale : {0.0, 1.0}) {  // equal samples, and random ones
      for (const bool positive : {false, true}) {
        const Matrix<double> x = shifted(random_matrix<double>(shape.n, shape.d, shape.n), scale, 1);
        const HardFitOptions options{.n_atoms = shape.n_atoms, .nonzeros = shape.nonzeros, .positive = positive};
        HardFitState report;
        const HardEncoder encoder = fit_hard<double>(x, {}, options, calling_thread(), report);
        SCOPED_TRACE("n = " + std::to_string(shape.n) + ", d = " + std::to_string(shape.d) + ", scale " +
                     std::to_string(scale));
        EXPECT_TRUE(all_finite_in(encoder));
        EXPECT_LE(report.best_error, report.principal_error);
      }
    }
  }
}

TEST(HardFit, HearsTheInterrupt) {
  const Matrix<double> x = random_matrix<double>(500, 8, 5);
  const std::atomic<bool> wish = true;
  const Interrupt interrupt(&wish);
  ThreadPool pool(1, &interrupt);
  HardFitState report;
  EXPECT_THROW(fit_hard<double>(x, {}, {.n_atoms = 8, .nonzeros = 2}, pool, report), Interrupted);
}

TEST(StartOrthonormal, StaysOrthonormalWithMoreOrFewerAtomsThanFeatures) {
  const Matrix<double> x = make_planted(800, 12, 12, 2, 0.01, 6).samples;
  const HardRows rows = standard_rows(x.view(), standard_of(x.view()));
  for (const std::size_t n_atoms : {5, 12, 20}) {
    HardState state = start_principal(rows, n_atoms, false, 1, calling_thread());
    HardJudge judge(read_all(rows, calling_thread()), 2);
    const double before = judge.measure(state, calling_thread());
    Rotation rotation(rows, 2, 2, calling_thread());
    RotationState at;
    while (rotation.step(at, state)) continue;
    for (std::size_t k = 0; k < n_atoms; ++k)
      for (std::size_t j = 0; j <= k; ++j)
        EXPECT_NEAR(dot(state.weights.row(k), state.weights.row(j), 12), k == j && k < 12 ? 1 : 0, 1e-5);
    EXPECT_LE(judge.measure(state, calling_thread()), before);
  }
}

// The direction of a step against differences of the error, with the selection of the atoms as it is.
TEST(HardTraining, LowersTheErrorItWasGiven) {
  const Matrix<double> x = make_planted(2000, 16, 16, 2, 0.02, 8).samples;
  const HardRows rows = standard_rows(x.view(), standard_of(x.view()));
  HardJudge judge(read_all(rows, calling_thread()), 2);
  HardState start = start_principal(rows, 16, false, 1, calling_thread());
  const double before = judge.measure(start, calling_thread());
  HardTrainingState state(start);
  HardTraining training(rows, state, {.nonzeros = 2, .seed = 3}, calling_thread());
  for (int step = 0; step < 300; ++step) training.step(1e-2);
  HardState end = state.encoder;
  EXPECT_LT(judge.measure(end, calling_thread()), 0.5 * before);
}

}  // namespace
}  // namespace dualdict
