// SPDX-License-Identifier: BSD-3-Clause
// Fitting the encoders `sparse` and `corrected` to exact codes, without iteration.
//
// At the optimum u* = S_{y lambda/h}(z) with z = u* + y (b - H u*)/h for every y > 0, h the diagonal of H. z is a far
// smoother function of x than u*: `sparse` predicts it by C and one gradient step at C x, `corrected` by a regression
// on x and the sparse code. Gain, threshold and its growth with |x| are then fitted atom by atom.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

// What both fits need. `parts` has D, C, tau, eta, mu, positive_codes and mean_norm.
struct FitSamples {
  MatrixView<const double> samples;  // n x d, preprocessed
  MatrixView<const double> codes;    // n x K, exact
};

// Everything but the decoder.
FittedEncoder fit_sparse(const ModelParts& parts, const FitSamples& fit, ThreadPool& pool);
// `sparse_codes`: what `sparse` makes of the samples, n x K.
FittedEncoder fit_corrected(const ModelParts& parts, const FitSamples& fit, MatrixView<const double> sparse_codes,
                            ThreadPool& pool);

// v of a fitted encoder, a row for each sample; `sparse_codes` only for one with feedback.
Matrix<double> responses_of(const FittedEncoder& encoder, MatrixView<const double> samples,
                            MatrixView<const double> sparse_codes, ThreadPool& pool);
// The codes of a fitted encoder, in double; `sparse_codes` only for one with feedback.
Matrix<double> apply_fitted(const ModelParts& parts, const FittedEncoder& encoder, MatrixView<const double> samples,
                            MatrixView<const double> sparse_codes, ThreadPool& pool);

}  // namespace dualdict
