// SPDX-License-Identifier: BSD-3-Clause
// The end of learning: fit the encoders to a finished dictionary and dual, and measure every mode.
#pragma once

#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/encode_in_pieces.h"

namespace dualdict {

// Fills parts.sparse, parts.corrected and parts.provenance.encoding; all else of `parts` is set. Samples are
// preprocessed: exact codes of `fit_samples` are what the encoders are fitted to; the table is measured on `held_out`,
// or on the fit samples when it is empty. `held_out_unseen`: D and C were not learned from it either. Without fit
// samples nothing is fitted. False: interrupted; an encoder that was complete by then stays, the table is empty.
template <class T>
bool fit_and_measure_encoders(ModelParts& parts, MatrixView<const T> fit_samples, MatrixView<const T> held_out,
                              bool held_out_unseen, const FitRun& run);

}  // namespace dualdict
