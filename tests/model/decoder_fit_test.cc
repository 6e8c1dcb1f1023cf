// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/decoder_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "problems/planted.h"

namespace dualdict {
namespace {

Matrix<double> difference(Matrix<double> a, const Matrix<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] -= b.data()[i];
  return a;
}

// Of |X - U B|^2 + r |B - g D|^2, the problem whose solution the decoder is: U'(U B - X) + r (B - g D) = 0.
TEST(DecoderFit, MinimisesTheErrorAndTheDistanceToTheDictionary) {
  const Planted planted = make_planted(200, 7, 10, 3, 0.1, 3);
  Random random(4);
  Matrix<double> codes = planted.codes;  // too short and noisy
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (codes.data()[i] != 0) codes.data()[i] = 0.7 * codes.data()[i] + 0.1 * random.normal();
  ThreadPool pool(2);
  const Matrix<double> decoder = fit_decoder(planted.dictionary, {codes.view(), planted.samples.view()}, pool);
  const Matrix<double> decoded = multiply<double>(codes.view(), planted.dictionary.view());
  double match = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i) match += decoded.data()[i] * planted.samples.data()[i];
  const double gain = match / squared_norm(decoded);
  const double ridge = 0.03 * squared_norm(codes) / 10;
  const Matrix<double> rest = difference(multiply<double>(codes.view(), decoder.view()), planted.samples);
  Matrix<double> slope = transposed_multiply<double>(codes.view(), rest.view());
  for (std::size_t i = 0; i < slope.size(); ++i)
    slope.data()[i] += ridge * (decoder.data()[i] - gain * planted.dictionary.data()[i]);
  const Matrix<double> scale = transposed_multiply<double>(codes.view(), planted.samples.view());
  EXPECT_LT(std::sqrt(squared_norm(slope) / squared_norm(scale)), 1e-10);
}

// Atoms that two samples use, with tiny codes beside strong noise: plain least squares gives them rows of norm 1000.
TEST(DecoderFit, RareAtomsDoNotExplode) {
  constexpr std::size_t kSamples = 400, kAtoms = 30, kFeatures = 20;
  const Planted planted = make_planted(kSamples, kFeatures, kAtoms, 3, 0.3, 5);
  Matrix<double> codes = planted.codes;
  for (std::size_t j = 20; j < kAtoms; ++j)
    for (std::size_t i = 0; i < kSamples; ++i) codes(i, j) = i / 2 == j ? 1e-3 : 0.0;
  ThreadPool pool(1);
  const Matrix<double> decoder = fit_decoder(planted.dictionary, {codes.view(), planted.samples.view()}, pool);
  for (std::size_t j = 0; j < kAtoms; ++j) EXPECT_LT(norm(decoder.row(j), kFeatures), 1.6) << j;
}

TEST(DecoderFit, IsRefusedWhereTheDictionaryDecodesUnseenSamplesBetter) {
  const Planted planted = make_planted(20, 10, 12, 3, 0.01, 6);
  Planted other = make_planted(20, 10, 12, 3, 1.0, 7);
  ThreadPool pool(1);
  const CodedSamples noise{other.codes.view(), other.samples.view()};
  const CodedSamples check{planted.codes.view(), planted.samples.view()};
  const Matrix<double> decoder = fit_checked_decoder(planted.dictionary, noise, check, pool);
  const double gain = decoder(0, 0) / planted.dictionary(0, 0);
  for (std::size_t i = 0; i < decoder.size(); ++i)
    EXPECT_NEAR(decoder.data()[i], gain * planted.dictionary.data()[i], 1e-12);
  EXPECT_NE(fit_checked_decoder(planted.dictionary, noise, {}, pool), decoder);
}

TEST(DecoderFit, CodesOfZeroLeaveTheDictionary) {
  const Planted planted = make_planted(5, 4, 6, 1, 0, 8);
  const Matrix<double> zero(5, 6);
  ThreadPool pool(1);
  EXPECT_EQ(fit_decoder(planted.dictionary, {zero.view(), planted.samples.view()}, pool), planted.dictionary);
}

}  // namespace
}  // namespace dualdict
