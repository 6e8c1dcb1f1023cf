// SPDX-License-Identifier: BSD-3-Clause
// What the fitted encoders are compared with.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"

namespace dualdict {

// gain S_t(D'x) with one t and one gain for all atoms.
struct ThresholdBaseline {
  double threshold = 0;
  double gain = 0;
};
// The threshold with which `responses` (D'x, n x K) keep `nonzeros` numbers a row on average, and the gain that brings
// the rest nearest to `codes`.
ThresholdBaseline fit_threshold_baseline(const Matrix<double>& responses, const Matrix<double>& codes, double nonzeros,
                                         bool positive);
void apply_threshold_baseline(const ThresholdBaseline& baseline, bool positive, Matrix<double>& responses);

// |x - projection| / |x| of `measured` on the mean and the leading components of `fit`.
double pca_error(MatrixView<const double> fit, MatrixView<const double> measured, std::size_t n_components,
                 ThreadPool& pool);

}  // namespace dualdict
