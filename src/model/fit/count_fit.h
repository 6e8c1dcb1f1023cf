// SPDX-License-Identifier: BSD-3-Clause
// Thresholds that give the wanted number of nonzeros on samples that the fit did not see.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

// Moves all thresholds of the encoder along tau_slope, by one shift, to where its codes of these samples have `wanted`
// nonzeros on average, or as near as thresholds >= 0 allow. `sparse_codes` only for an encoder with feedback.
void set_count(const ModelParts& parts, MatrixView<const double> samples, MatrixView<const double> sparse_codes,
               double wanted, ThreadPool& pool, FittedEncoder& encoder);

}  // namespace dualdict
