// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/denoise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "dualdict/error.h"
#include "dualdict/learn.h"
#include "images/basis_choice.h"
#include "images/patch_bases.h"

namespace dualdict {
namespace {

// Waves, others in each channel.
Image waves(std::size_t size, std::size_t channels) {
  Image image{.pixels = Matrix<float>(size, size * channels), .channels = channels};
  for (std::size_t y = 0; y < size; ++y)
    for (std::size_t x = 0; x < size; ++x)
      for (std::size_t c = 0; c < channels; ++c)
        image.pixels(y, x * channels + c) =
            128 + 70 * std::sin(static_cast<float>(x) / static_cast<float>(5 + c) + static_cast<float>(y) / 9);
  return image;
}

Image with_noise(Image image, double sigma) {
  Random random(9);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels.data()[i] += static_cast<float>(sigma * random.normal());
  return image;
}

double rms_between(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    sum += std::pow(static_cast<double>(a.pixels.data()[i]) - static_cast<double>(b.pixels.data()[i]), 2);
  return std::sqrt(sum / static_cast<double>(a.pixels.size()));
}

TEST(LearnBases, AreOrthonormalAndSuitTheirPatches) {
  // Patches of three coefficients in one of two random rotations.
  constexpr std::size_t kSide = 12, kPatches = 6000;
  Random random(3);
  PatchBases planted;
  for (int m = 0; m < 2; ++m) {
    Matrix<float> rows(kSide, kSide);
    for (std::size_t k = 0; k < kSide; ++k)
      for (std::size_t f = 0; f < kSide; ++f) rows(k, f) = static_cast<float>(random.normal());
    for (std::size_t k = 0; k < kSide; ++k) {
      for (std::size_t j = 0; j < k; ++j) {
        float along = 0;
        for (std::size_t f = 0; f < kSide; ++f) along += rows(k, f) * rows(j, f);
        for (std::size_t f = 0; f < kSide; ++f) rows(k, f) -= along * rows(j, f);
      }
      float squared = 0;
      for (std::size_t f = 0; f < kSide; ++f) squared += rows(k, f) * rows(k, f);
      for (std::size_t f = 0; f < kSide; ++f) rows(k, f) /= std::sqrt(squared);
    }
    planted.push_back(std::move(rows));
  }
  Matrix<float> patches(kPatches, kSide);
  for (std::size_t i = 0; i < kPatches; ++i)
    for (int n = 0; n < 2; ++n) {
      const std::size_t k = random.index(kSide);
      const auto value = static_cast<float>(5 * random.normal());
      for (std::size_t f = 0; f < kSide; ++f) patches(i, f) += value * planted[i % 2](k, f);
    }
  const PatchBases bases = learn_bases(patches.view(), {2, 0.5}, Random(1), calling_thread());
  for (const Matrix<float>& basis : bases)
    for (std::size_t k = 0; k < kSide; ++k)
      for (std::size_t j = 0; j <= k; ++j) {
        double product = 0;
        for (std::size_t f = 0; f < kSide; ++f)
          product += static_cast<double>(basis(k, f)) * static_cast<double>(basis(j, f));
        EXPECT_NEAR(product, k == j ? 1 : 0, 1e-4);
      }
  const auto cost_of = [&](const PatchBases& some) {
    std::vector<PackedRight<float>> forward, back;
    pack_bases(some, forward, back);
    ChoiceWork work;
    choose_bases(
        patches.view(), forward, [](float z) { return std::min(z * z, 0.25F); }, work);
    double sum = 0;
    for (const float cost : work.cost) sum += static_cast<double>(cost);
    return sum / kPatches;
  };
  PatchBases pixels(1, Matrix<float>(kSide, kSide));
  for (std::size_t k = 0; k < kSide; ++k) pixels[0](k, k) = 1;
  const PatchBases one = learn_bases(patches.view(), {1, 0.5}, Random(1), calling_thread());
  EXPECT_LT(cost_of(one), cost_of(pixels));
  EXPECT_LT(cost_of(bases), 0.9 * cost_of(one));
}

TEST(Denoise, TakesMostOfTheNoiseOfGreyAndColour) {
  for (const std::size_t channels : {1U, 3U}) {
    const Image clean = waves(96, channels);
    const Image noisy = with_noise(clean, 20);
    const double before = rms_between(clean, noisy);
    const double best = rms_between(clean, denoise(noisy, {.sigma = 20}).image);
    const double fast = rms_between(clean, denoise(noisy, {.sigma = 20, .fast = true}).image);
    EXPECT_LT(best, 0.5 * before) << channels;
    EXPECT_LT(fast, 0.6 * before) << channels;
    EXPECT_LE(best, 1.05 * fast) << channels;
  }
}

TEST(Denoise, TheSameBitsForAnyNumberOfThreads) {
  const Image noisy = with_noise(waves(80, 1), 15);
  const Denoised one = denoise(noisy, {.n_threads = 1});
  for (const std::size_t threads : {2U, 3U}) {
    const Denoised more = denoise(noisy, {.n_threads = threads});
    EXPECT_EQ(more.image.pixels, one.image.pixels);
    EXPECT_EQ(more.sigma, one.sigma);
  }
}

TEST(Denoise, WithAModelOfCleanPatches) {
  const Image clean = waves(96, 1);
  const Image noisy = with_noise(clean, 20);
  LearnOptions options;
  options.n_atoms = 100;
  options.tau = 5;
  options.max_iterations = 10;
  options.n_threads = 1;
  LearnContext context;
  context.preprocess.center_samples = true;
  const Model model = learn(PatchGrid({waves(96, 1)}, {6, 6, 2}), options, context).model;
  const Denoised result = denoise(noisy, {.sigma = 20, .model = &model});
  EXPECT_LT(rms_between(clean, result.image), 0.5 * rms_between(clean, noisy));
  const Image color = with_noise(waves(20, 3), 5);
  EXPECT_THROW(denoise(color, {.sigma = 5, .model = &model}), Error);
}

TEST(Denoise, NoNoiseChangesNothing) {
  const Image clean = waves(40, 1);
  EXPECT_EQ(denoise(clean, {.sigma = 0}).image.pixels, clean.pixels);
  Image flat{.pixels = Matrix<float>(20, 20)};
  EXPECT_EQ(denoise(flat).sigma, 0);
}

TEST(Denoise, RefusesWhatItCannotDo) {
  const Image small{.pixels = Matrix<float>(5, 20)};
  EXPECT_THROW(denoise(small, {.sigma = 1}), Error);
  EXPECT_NO_THROW(denoise(small, {.sigma = 1, .height = 4, .width = 4}));
  Image holes{.pixels = Matrix<float>(20, 20)};
  holes.pixels(3, 4) = std::nanf("");
  EXPECT_THROW(denoise(holes, {.sigma = 1}), Error);
  EXPECT_THROW(denoise(waves(20, 1), {.sigma = -1}), Error);
  EXPECT_THROW(denoise(waves(20, 1), {.sigma = 1, .stride = 9}), Error);
  Image huge = with_noise(waves(20, 1), 20);
  for (std::size_t i = 0; i < huge.pixels.size(); ++i) huge.pixels.data()[i] *= 1e30F;
  EXPECT_THROW(denoise(huge, {.sigma = 1e31}), Error);
  std::atomic<bool> stop = true;
  EXPECT_THROW(denoise(waves(40, 1), {.sigma = 5, .interrupt = &stop}), Error);
}

TEST(EstimateNoise, IsCloseOnSmoothImages) {
  for (const std::size_t channels : {1U, 3U})
    for (const double sigma : {5.0, 25.0}) {
      const double found = estimate_noise(with_noise(waves(128, channels), sigma));
      EXPECT_NEAR(found, sigma, 0.1 * sigma + 0.5) << channels;
    }
}

}  // namespace
}  // namespace dualdict
