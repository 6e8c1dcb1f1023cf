// SPDX-License-Identifier: BSD-3-Clause
// Patches by greedy codes over any dictionary.
#pragma once

#include "images/patch_filter.h"
#include "solvers/greedy_codes.h"

namespace dualdict {

// Every nonzero costs threshold^2, in the units of squared values; an estimate weighs the less, the more there are.
class GreedyFilter final : public PatchFilter {
 public:
  // Atoms are rows.
  GreedyFilter(const Matrix<double>& dictionary, double threshold, ThreadPool& pool);
  void apply(MatrixView<float> noisy, MatrixView<const float> pilot, std::span<float> weights,
             std::any& work) const override;

 private:
  GreedyProblem<float> problem_;
  PackedRight<float> atoms_;
  double price_;
};

}  // namespace dualdict
