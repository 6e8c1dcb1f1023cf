// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/denoise.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/finite.h"
#include "core/interrupt.h"
#include "data/patch_source.h"
#include "dualdict/error.h"
#include "images/greedy_filter.h"
#include "images/patch_bases.h"

namespace dualdict {
namespace {

// In units of sigma; chosen with the counts below on training images of the Berkeley set (experiments/denoise).
constexpr double kThreshold = 2.7;              // of coefficients of noisy patches
constexpr double kPilotThreshold = 1.0;         // of an estimate, in which bases are learned again
constexpr std::size_t kPatchesPerBasis = 4000;  // fewer would learn the noise

// How much work is worth it.
struct DenoisePlan {
  std::size_t n_bases = 4;
  std::size_t n_learn = 40000;  // patches
  int n_passes = 3;
  bool learns_again = true;  // before each pass, from the estimate of the one before
};
constexpr DenoisePlan kFastPlan{2, 10000, 2, false};
constexpr std::size_t kMostStride = 4096;

[[noreturn]] void refuse(const std::string& what, const std::string& rule) {
  throw Error(ErrorKind::kUsage, what + " is not allowed: " + rule);
}

void check_image(const Image& image) {
  if (image.channels != 1 && image.channels != 3)
    throw Error(ErrorKind::kInput,
                "image: it has " + std::to_string(image.channels) + " channels, there must be 1 or 3");
  require_finite(MatrixView<const float>(image.pixels.view()), "image");
}

// Codes of a model's dictionary, made for patches without their means, on the scale of the image.
Matrix<double> dictionary_of(const Model& model, const Image& image) {
  const ModelParts& parts = model.parts();
  const PreprocessOptions& steps = parts.transform.options();
  if (parts.shape.height == 0 || parts.shape.channels != image.channels)
    refuse("--model", "its atoms are no patches of " + std::to_string(image.channels) +
                          " channels; learn it with --patches" + (image.channels == 1 ? " --grey" : ""));
  if (!steps.center_samples || steps.center_features || steps.unit_norm || !parts.offset.empty() ||
      parts.positive_codes)
    refuse("--model",
           "it must code patches less their mean, and nothing else of them: learn it with --center-samples, "
           "without --center-features, --scale unit and --positive-codes, with --penalty l1 where --nonzeros is given");
  return model.dictionary();
}

class Denoiser {
 public:
  Denoiser(const Image& noisy, const DenoiseOptions& options)
      : noisy_(noisy),
        options_(options),
        interrupt_(options.interrupt),
        pool_(resolve_threads(options.n_threads), &interrupt_),
        size_(chosen_size()),
        plan_(options.fast ? kFastPlan : DenoisePlan()) {}

  Denoised run() {
    const double sigma = options_.sigma ? *options_.sigma : estimate_noise(noisy_);
    if (!(sigma > 0)) return {noisy_, sigma};
    if (options_.model == nullptr) return {with_bases(sigma), sigma};
    const GreedyFilter filter(dictionary_of(*options_.model, noisy_), kThreshold * sigma, pool_);
    return {pass(filter, nullptr, 0), sigma};
  }

 private:
  PatchSize chosen_size() const {
    const std::size_t side = noisy_.channels == 3 ? kColorSide : kGreySide;
    PatchSize size{options_.height > 0 ? options_.height : side, options_.width > 0 ? options_.width : side,
                   options_.stride > 0 ? options_.stride
                   : options_.fast     ? kFastStride
                                       : 1};
    if (options_.model != nullptr) {
      const SampleShape& shape = options_.model->parts().shape;
      size = {std::max<std::size_t>(shape.height, 1), std::max<std::size_t>(shape.width, 1), size.stride};
    }
    if (size.stride > std::min(size.height, size.width))
      refuse("--stride: " + std::to_string(size.stride),
             "it would leave pixels out; at most the smaller side of a patch, " +
                 std::to_string(std::min(size.height, size.width)));
    if (noisy_.height() < size.height || noisy_.width() < size.width)
      throw Error(ErrorKind::kInput, "image: " + std::to_string(noisy_.height()) + " x " +
                                         std::to_string(noisy_.width()) + " pixels are fewer than a patch of " +
                                         std::to_string(size.height) + " x " + std::to_string(size.width) +
                                         "; give a smaller --patches");
    return size;
  }

  std::size_t n_places() const { return (noisy_.height() - size_.height + 1) * (noisy_.width() - size_.width + 1); }

  // Random patches without their means.
  Matrix<float> draw(const Image& image, Random random) const {
    const SampleShape shape{size_.height, size_.width, image.channels};
    Matrix<float> rows(std::min(n_places(), plan_.n_learn), shape.height * shape.width * shape.channels);
    std::vector<float> means(shape.channels);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::size_t y = random.index(image.height() - shape.height + 1);
      const std::size_t x = random.index(image.width() - shape.width + 1);
      cut_patch(image, y, x, shape, rows.row(i));
      remove_channel_means(rows.row(i), rows.cols(), shape.channels, means.data());
    }
    return rows;
  }

  PatchBases learn(const Image& image, double threshold, std::uint64_t stream) {
    const std::size_t n = std::clamp<std::size_t>(n_places() / kPatchesPerBasis, 1, plan_.n_bases);
    const Matrix<float> patches = draw(image, Random(options_.seed, stream));
    return learn_bases(patches.view(), {n, threshold}, Random(options_.seed, stream + 1), pool_);
  }

  Image pass(const PatchFilter& filter, const Image* pilot, int number) {
    FilterPass pass{size_, pilot, {}};
    if (options_.on_progress)
      pass.on_progress = [&, number](double share) {
        options_.on_progress((number + share) / (options_.model != nullptr ? 1 : plan_.n_passes));
      };
    return filter_patches(noisy_, filter, pass, pool_);
  }

  // A first estimate from thresholds; with its help bases again and better ones.
  Image with_bases(double sigma) {
    PatchBases bases = learn(noisy_, kThreshold * sigma, 0);
    Image estimate = pass(ThresholdFilter(bases, kThreshold * sigma), nullptr, 0);
    for (int number = 1; number < plan_.n_passes; ++number) {
      if (plan_.learns_again) bases = learn(estimate, kPilotThreshold * sigma, static_cast<std::uint64_t>(2 * number));
      estimate = pass(WienerFilter(bases, sigma), &estimate, number);
    }
    return estimate;
  }

  const Image& noisy_;
  const DenoiseOptions& options_;
  Interrupt interrupt_;
  ThreadPool pool_;
  PatchSize size_;
  DenoisePlan plan_;
};

}  // namespace

Denoised denoise(const Image& noisy, const DenoiseOptions& options) {
  if (options.sigma && !(*options.sigma >= 0 && std::isfinite(*options.sigma)))
    refuse("--sigma: " + std::to_string(*options.sigma), "a number >= 0, or auto");
  if (options.stride > kMostStride) refuse("--stride: " + std::to_string(options.stride), "at most a side of a patch");
  if (options.model != nullptr && options.fast) refuse("--fast", "with --model there is one pass anyway");
  check_image(noisy);
  try {
    Denoised result = Denoiser(noisy, options).run();
    if (find_non_finite(MatrixView<const float>(result.image.pixels.view())).count > 0)
      throw Error(ErrorKind::kNumerical, "image: its values leave the range of float32 on the way; scale them down");
    return result;
  } catch (const Interrupted&) {
    throw Error(ErrorKind::kUsage, "interrupted: there is no result");
  }
}

}  // namespace dualdict
