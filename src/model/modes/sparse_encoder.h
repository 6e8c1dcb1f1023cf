// SPDX-License-Identifier: BSD-3-Clause
// One product, a gain and a threshold: the mode `sparse`, and the first code of `corrected` and `refine`.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/modes/mode.h"
#include "model/modes/weights.h"

namespace dualdict {

// u_j = g_j S_{t_j (1 + k_j n)}(v_j), in place; n, the level of a sample, is |x| in units of the mean norm.
template <class T>
class Shrink {
 public:
  Shrink(const ModelParts& parts, const FittedEncoder& fitted, double tau_shift)
      : positive_(parts.positive_codes), inverse_mean_norm_(parts.mean_norm > 0 ? 1 / parts.mean_norm : 0.0) {
    for (std::size_t j = 0; j < fitted.gain.size(); ++j) {
      const double threshold = std::max(0.0, fitted.threshold[j] + fitted.tau_slope[j] * tau_shift);
      gain_.push_back(static_cast<T>(fitted.gain[j]));
      threshold_.push_back(static_cast<T>(threshold));
      growth_.push_back(static_cast<T>(threshold * fitted.growth[j]));
    }
  }
  void find_levels(MatrixView<const T> x, std::vector<T>& levels) const {
    const Kernels<T>& kernel = kernels<T>();
    levels.resize(kBlockSamples);
    for (std::size_t i = 0; i < x.rows; ++i)
      levels[i] = static_cast<T>(std::sqrt(kernel.squared_norm(x.row(i), x.cols)) * inverse_mean_norm_);
  }
  Shrinkage<T> at(const std::vector<T>& levels) const {
    return {gain_.data(), threshold_.data(), growth_.data(), levels.data(), positive_};
  }
  // How much larger than their largest element the level of a sample, and than the product a code can be; at least 1.
  double largest_level(std::size_t n_features) const {
    return inverse_mean_norm_ * std::sqrt(static_cast<double>(n_features));
  }
  double largest_gain() const {
    T largest = 1;
    for (const T gain : gain_) largest = std::max(largest, gain);
    return static_cast<double>(largest);
  }

 private:
  bool positive_;
  double inverse_mean_norm_;
  std::vector<T> gain_, threshold_, growth_;
};

template <class T>
class SparseEncoder final : public BlockEncoder<T> {
 public:
  SparseEncoder(const ModelParts& parts, const ModeSettings& settings)
      : SparseEncoder(parts, *parts.find_encoder("sparse"), settings.tau_shift) {}
  SparseEncoder(const ModelParts& parts, const FittedEncoder& fitted, double tau_shift)
      : weights_(packed_transposed<T>(fitted.weights)),
        shrink_(parts, fitted, tau_shift),
        largest_gain_(std::max(shrink_.largest_gain() * largest_row_sum(fitted.weights),
                               shrink_.largest_level(fitted.weights.cols()))) {}
  // Leaves the samples' levels in work.levels.
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    shrink_.find_levels(x, work.levels);
    multiply_and_shrink<T>(plain(x), weights_, shrink_.at(work.levels), Into::kSet, u);
  }
  double largest_gain() const override { return largest_gain_; }

 private:
  PackedRight<T> weights_;
  Shrink<T> shrink_;
  double largest_gain_;
};

}  // namespace dualdict
