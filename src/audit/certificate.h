// SPDX-License-Identifier: BSD-3-Clause
// How far codes can be from the best ones, by plain loops in double.
#pragma once

#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

// The largest (P - Q) / P over the samples: P = 1/2 |x - b - D u|^2 + penalty |u|_1 of the code, Q the dual's value at
// the residual, scaled until |D'r| <= penalty (D'r <= penalty for positive codes). No code has less than Q.
double largest_gap(const ModelParts& parts, const Matrix<double>& samples, const Matrix<double>& codes, double penalty);

}  // namespace dualdict
