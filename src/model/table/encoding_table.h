// SPDX-License-Identifier: BSD-3-Clause
// What each mode of encoding buys, measured on samples: the table that a model carries.
#pragma once

#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/encode_in_pieces.h"

namespace dualdict {

// Samples are preprocessed. T is the precision of the model, so that the speed is what a user gets.
template <class T>
struct TableSamples {
  MatrixView<const T> fit;       // what the encoders were fitted on; the baselines are fitted on it too
  MatrixView<const T> measured;  // what the rows are measured on
};

// Rows: the modes that the model has encoders for, then the baselines "threshold D'x" (soft-thresholded D'x with one
// threshold and one gain for all atoms, its own decoder), "pca" (as many components as there are nonzeros), "pca hard",
// for patches "dct hard" (the largest coefficients of all samples: one hard threshold) and "samples greedy" (samples of
// the fit as atoms, greedy codes), all with as many nonzeros as exact codes. What a baseline does not have is NaN.
// Exact codes are those in double, so that the row `exact` shows the rounding too; with penalty l0 greedy codes stand
// for them, and their cost for E. Debiased errors are measured on as many leading samples as a bounded amount of work
// allows. Throws Interrupted when that is due.
template <class T>
EncodingTable measure_encoders(const ModelParts& parts, const TableSamples<T>& samples, const FitRun& run);

}  // namespace dualdict
