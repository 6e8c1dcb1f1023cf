// SPDX-License-Identifier: BSD-3-Clause
// An image through a filter of its patches: all are cut, filtered and put back, and their overlaps averaged.
#pragma once

#include <any>
#include <functional>
#include <span>

#include "core/thread_pool.h"
#include "dualdict/images.h"

namespace dualdict {

// Immutable; what a thread needs beside is in its `work`.
class PatchFilter {
 public:
  virtual ~PatchFilter() = default;
  // noisy: n patches without their means, n <= kFilterRows; estimates on return. pilot: the same patches of an earlier
  // estimate without theirs, or as many rows of nothing. weights: how much each estimate counts.
  virtual void apply(MatrixView<float> noisy, MatrixView<const float> pilot, std::span<float> weights,
                     std::any& work) const = 0;
};
inline constexpr std::size_t kFilterRows = 256;

struct FilterPass {
  PatchSize size;
  const Image* pilot = nullptr;  // as large as the image, or nullptr
  std::function<void(double)> on_progress = {};
};

// The mean of each channel of a patch is kept as it is. The same bits for any number of threads.
Image filter_patches(const Image& noisy, const PatchFilter& filter, const FilterPass& pass, ThreadPool& pool);

// Takes the mean of each channel away from a patch, and gives it to `means`.
void remove_channel_means(float* patch, std::size_t n_features, std::size_t channels, float* means);

}  // namespace dualdict
