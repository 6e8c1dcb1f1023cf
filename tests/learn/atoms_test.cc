// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/atoms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "learn/samples/code_pass.h"
#include "learn/stored_codes.h"
#include "linalg/block_sums.h"
#include "problems/planted.h"
#include "reference/tolerance.h"
#include "solvers/moment_case.h"

namespace dualdict {
namespace {

LearnProgress nobody;  // watches

// 600 samples, so three blocks; atoms 2 and 5 are used by nobody, atom 7 by two samples.
template <class T>
struct ReplaceCase {
  Samples<T> samples;
  CodeStore<T> u;
  FitState state;
  ThreadPool pool{2};

  ReplaceCase() {
    state.atoms.usage.resize(9);
    state.atoms.replaced.resize(9);
    Planted planted = make_planted(600, 6, 9, 3, 0.1, 1);
    for (std::size_t i = 0; i < 600; ++i) {
      for (const std::size_t k : {2u, 5u}) planted.codes(i, k) = 0;
      planted.codes(i, 7) = i == 10 || i == 300 ? 0.5 : 0.0;
    }
    for (std::size_t f = 0; f < 6; ++f) planted.samples(20, f) = 0;
    samples.x = convert<T>(planted.samples);
    const Matrix<T> codes = convert<T>(planted.codes);
    u = store_codes(codes);
    state.dictionary = planted.dictionary;
    state.objective = {.n_features = 6, .n_atoms = 9, .tau = 0.1, .eta = 1};
    state.moments = naive_moments(convert<double>(samples.x), convert<double>(codes));
    for (std::size_t i = 0; i < 600; ++i)
      for (std::size_t k = 0; k < 9; ++k) state.atoms.usage[k] += codes(i, k) != T{0} ? 1 : 0;
  }
  std::size_t replace(std::size_t below) {
    return replace_unused<T>(state, {samples, u, {0, samples.n_samples()}}, below, pool);
  }
};

// Not inlined: GCC 12 sees the free of an array that is not there.
[[gnu::noinline]] double squared_residual(const Matrix<double>& dictionary, const double* x, const double* code) {
  return naive_square(naive_residual(dictionary, x, code));
}

template <class T>
class AtomsTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(AtomsTest, Scalars);

TYPED_TEST(AtomsTest, TheMomentsStayThoseOfTheCodes) {
  ReplaceCase<TypeParam> one;
  EXPECT_EQ(one.replace(3), 3u);
  const Moments expected = naive_moments(convert<double>(one.samples.x), convert<double>(all_rows(one.u)));
  const double scale = 600 * Tolerance<double>::kEpsilon * 100;
  for (std::size_t i = 0; i < expected.uu.size(); ++i)
    EXPECT_NEAR(one.state.moments.uu.data()[i], expected.uu.data()[i], scale * 100);
  for (std::size_t i = 0; i < expected.ux.size(); ++i)
    EXPECT_NEAR(one.state.moments.ux.data()[i], expected.ux.data()[i], scale * 100);
  EXPECT_NEAR(one.state.moments.sum_abs_codes, expected.sum_abs_codes, scale * 100);
}

TYPED_TEST(AtomsTest, TheWorstReconstructedSamplesBecomeTheAtoms) {
  using T = TypeParam;
  ReplaceCase<T> one;
  std::vector<double> errors(600);
  const Matrix<double> codes = convert<double>(all_rows(one.u));
  for (std::size_t i = 0; i < 600; ++i) {
    const Matrix<double> x = convert<double>(one.samples.x.view().row_range(i, 1));
    const double length = norm(x.row(0), 6);
    if (length > 0) errors[i] = squared_residual(one.state.dictionary, x.row(0), codes.row(i)) / (length * length);
  }
  std::vector<std::size_t> order(600);
  for (std::size_t i = 0; i < 600; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  const Matrix<double> before = one.state.dictionary;

  ASSERT_EQ(one.replace(1), 2u);
  const Matrix<T> after = all_rows(one.u);
  const std::size_t atoms[] = {2, 5};
  for (std::size_t n = 0; n < 2; ++n) {
    const T* x = one.samples.x.row(order[n]);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(after(order[n], k) != T{0}, k == atoms[n]);
    for (std::size_t f = 0; f < 6; ++f)
      EXPECT_NEAR(one.state.dictionary(atoms[n], f), static_cast<double>(x[f]) / norm(x, 6), 1e-6);
  }
  for (const std::size_t k : {0u, 1u, 3u, 4u, 6u, 7u, 8u})
    for (std::size_t f = 0; f < 6; ++f) EXPECT_EQ(one.state.dictionary(k, f), before(k, f));
}

TYPED_TEST(AtomsTest, EveryAtomIsReplacedAFewTimesAtMost) {
  ReplaceCase<TypeParam> one;
  std::size_t replaced = 0;
  for (int round = 0; round < 50; ++round) replaced += one.replace(1);
  EXPECT_LE(replaced, 2u * 3u);
  EXPECT_GE(replaced, 2u);
}

TYPED_TEST(AtomsTest, ThresholdZeroReplacesNothing) {
  ReplaceCase<TypeParam> one;
  const Matrix<double> before = one.state.dictionary;
  EXPECT_EQ(one.replace(0), 0u);
  EXPECT_EQ(one.state.dictionary, before);
}

// The sums that the D and C steps live on, over blocks and threads, against plain loops.
TYPED_TEST(AtomsTest, ACodePassSumsTheMomentsOfItsCodes) {
  using T = TypeParam;
  for (const std::size_t n_threads : {1u, 3u}) {
    ReplaceCase<T> one;
    ThreadPool pool(n_threads);
    L1Coder<T> coder(pool.size());
    coder.problem().assign(one.state.objective, one.state.dictionary, one.state.dictionary);
    const Interrupt never(nullptr);
    CodePass<T> pass(6, 9, {pool, never, nobody});
    const PassReport report =
        pass.run(coder, one.samples.x.view(), {0, one.samples.n_samples()}, one.u, one.state.moments);
    const Moments expected = naive_moments(convert<double>(one.samples.x), convert<double>(all_rows(one.u)));
    const double tolerance = 600 * 10 * Tolerance<T>::kEpsilon;
    for (std::size_t i = 0; i < expected.uu.size(); ++i)
      EXPECT_NEAR(one.state.moments.uu.data()[i], expected.uu.data()[i], tolerance);
    for (std::size_t i = 0; i < expected.ux.size(); ++i)
      EXPECT_NEAR(one.state.moments.ux.data()[i], expected.ux.data()[i], tolerance);
    EXPECT_NEAR(one.state.moments.sum_abs_codes, expected.sum_abs_codes, 10 * tolerance);
    const Matrix<T> codes = all_rows(one.u);
    std::size_t nonzeros = 0;
    for (std::size_t k = 0; k < 9; ++k) {
      std::size_t used = 0;
      for (std::size_t i = 0; i < 600; ++i) used += codes(i, k) != T{0} ? 1 : 0;
      EXPECT_EQ(report.usage[k], used);
      nonzeros += used;
    }
    EXPECT_EQ(report.codes.nonzeros, nonzeros);
  }
}

// A rank's share of a step begins and ends anywhere.
TYPED_TEST(AtomsTest, ACodePassOfPartsOfBlocksTouchesThemAlone) {
  using T = TypeParam;
  constexpr std::size_t kFirst = 100, kCount = 433;
  for (const std::size_t n_threads : {1u, 3u}) {
    ReplaceCase<T> one;
    const Matrix<T> before = all_rows(one.u);
    ThreadPool pool(n_threads);
    L1Coder<T> coder(pool.size());
    coder.problem().assign(one.state.objective, one.state.dictionary, one.state.dictionary);
    const Interrupt never(nullptr);
    CodePass<T>(6, 9, {pool, never, nobody})
        .run(coder, one.samples.x.view(), {kFirst, kCount}, one.u, one.state.moments);
    const Matrix<T> after = all_rows(one.u);
    Matrix<double> samples(kCount, 6), codes(kCount, 9);
    for (std::size_t i = 0; i < 600; ++i) {
      if (i < kFirst || i >= kFirst + kCount) {
        EXPECT_TRUE(std::equal(after.row(i), after.row(i) + 9, before.row(i))) << i;
        continue;
      }
      std::copy_n(one.samples.x.row(i), 6, samples.row(i - kFirst));
      std::copy_n(after.row(i), 9, codes.row(i - kFirst));
    }
    const Moments expected = naive_moments(samples, codes);
    for (std::size_t i = 0; i < expected.uu.size(); ++i)
      EXPECT_NEAR(one.state.moments.uu.data()[i], expected.uu.data()[i], 600 * 10 * Tolerance<T>::kEpsilon);
  }
}

}  // namespace
}  // namespace dualdict
