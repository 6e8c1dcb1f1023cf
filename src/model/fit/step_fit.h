// SPDX-License-Identifier: BSD-3-Clause
// Choosing the step y of an encoder, and gain, threshold and growth of every atom, for responses v that are linear in
// y.
#pragma once

#include <cstddef>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/fit/product_fit.h"

namespace dualdict {

inline constexpr std::size_t kFitBlockAtoms = 64;  // that are worked on at a time

// v = W f with W = base + y direction, atoms in rows; the features f are x, or x and the sparse code where there are
// any.
struct StepWeights {
  Matrix<double> base;
  Matrix<double> direction;
};

// Of the steps y = 1/4, 1/2, 3/4, 1 the one whose codes have the smallest E among those that err little more than the
// best; fills everything but weights, feedback and decoder. `relaxed`: thresholds may be lowered for a smaller E.
// `sparse_codes`: n x K or empty. Works through the atoms in blocks: memory grows with n (d + a constant), not with n
// K.
double fit_steps(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes,
                 const StepWeights& weights, bool relaxed, ThreadPool& pool, FittedEncoder& encoder);

// base + y direction
Matrix<double> along(MatrixView<const double> base, MatrixView<const double> direction, double step);

// 1 / h, h the diagonal of H; 0 where h is.
std::vector<double> inverse_diagonal(const ModelParts& parts);
// |x| / mean norm
std::vector<double> relative_norms(const ModelParts& parts, MatrixView<const double> samples);

}  // namespace dualdict
