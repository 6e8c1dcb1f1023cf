// SPDX-License-Identifier: BSD-3-Clause
// A dictionary made of orthonormal bases, learned from patches: each patch is coded over the basis in which it is
// sparsest. A code is then one product and one threshold, and its error is read off the coefficients.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/thread_pool.h"
#include "images/patch_filter.h"
#include "linalg/product.h"

namespace dualdict {

// Rows of a basis are its atoms.
using PatchBases = std::vector<Matrix<float>>;

struct BasesOptions {
  std::size_t n_bases = 1;
  double threshold = 0;  // a coefficient is worth keeping above it
};

// From patches without their means (n x d, n >= 1), by turns: each patch to the basis that leaves the least of
//   sum over its coefficients z of min(z^2, threshold^2),
// each basis to the rotation that fits the thresholded coefficients of its patches best. At first patches are sorted by
// which principal components they have.
PatchBases learn_bases(MatrixView<const float> patches, const BasesOptions& options, Random random, ThreadPool& pool);

// Keeps the coefficients above a threshold; an estimate weighs the less, the more of them there are, as each brings its
// share of the noise.
class ThresholdFilter final : public PatchFilter {
 public:
  ThresholdFilter(const PatchBases& bases, double threshold);
  void apply(MatrixView<float> noisy, MatrixView<const float> pilot, std::span<float> weights,
             std::any& work) const override;

 private:
  std::vector<PackedRight<float>> forward_, back_;
  float threshold_;
};

// Shrinks the coefficients z of noisy patches by p^2 / (p^2 + sigma^2), p those of the pilot, in the basis where that
// promises the least error.
class WienerFilter final : public PatchFilter {
 public:
  WienerFilter(const PatchBases& bases, double sigma);
  void apply(MatrixView<float> noisy, MatrixView<const float> pilot, std::span<float> weights,
             std::any& work) const override;

 private:
  std::vector<PackedRight<float>> forward_, back_;
  float variance_;
};

}  // namespace dualdict
