// SPDX-License-Identifier: BSD-3-Clause
// Noise taken out of images: patches are coded over bases that the noisy image itself teaches, or over the dictionary
// of a model, and their overlaps averaged.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "dualdict/export.h"
#include "dualdict/images.h"
#include "dualdict/model.h"

namespace dualdict {

struct DenoiseOptions {
  std::optional<double> sigma = {};  // of the noise, on the scale 0..255; default: estimate_noise()
  std::size_t height = 0;            // of the patches; 0: kGreySide, of colour kColorSide, of a model its own
  std::size_t width = 0;
  std::size_t stride = 0;        // 0: 1, or kFastStride for `fast`
  bool fast = false;             // fewer patches, bases and passes
  const Model* model = nullptr;  // its dictionary instead of bases learned from the image
  std::uint64_t seed = 0;
  std::size_t n_threads = 0;  // they change no bit
  // Called now and then with the share that is done, by one thread at a time.
  std::function<void(double)> on_progress = {};
  const std::atomic<bool>* interrupt = nullptr;
};

inline constexpr std::size_t kGreySide = 8;
inline constexpr std::size_t kColorSide = 6;
inline constexpr std::size_t kFastStride = 2;

struct Denoised {
  Image image;
  double sigma = 0;  // given or estimated
};

// White noise of one strength in all channels is assumed. Memory: a few copies of the image, whatever the number of
// patches. Throws Error(kInput) for an image smaller than a patch or values that are not finite, Error(kUsage) for bad
// options, Error(kUsage) "interrupted" when `interrupt` became true.
DUALDICT_API Denoised denoise(const Image& noisy, const DenoiseOptions& options = {});

// The sigma of white noise: of the eigenvalues of the covariance of patches, those that are all alike are the noise
// (Chen, Zhu and Heng, An efficient statistical method for image noise level estimation, 2015); tile by tile, and what
// the quietest fifth of the tiles says, since texture looks like noise.
DUALDICT_API double estimate_noise(const Image& image);

}  // namespace dualdict
