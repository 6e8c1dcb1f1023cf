// SPDX-License-Identifier: BSD-3-Clause
// The end of learning: fit the encoders to a finished dictionary and dual, and measure every mode.
#pragma once

#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/encode_in_pieces.h"

namespace dualdict {

// Preprocessed.
template <class T>
struct EncoderSamples {
  MatrixView<const T> fit;
  MatrixView<const T> held_out;        // what the table is measured on; empty: the fit samples
  bool unseen = false;                 // D and C were not learned from held_out either
  MatrixView<const T> fit_codes = {};  // exact; empty: they are made here
};

// Fills parts.encoders and parts.provenance.encoding; all else of `parts` is set. Exact codes of the fit
// samples are what the encoders are fitted to. Without fit samples nothing is fitted. False: interrupted; an encoder
// that was complete by then stays, the table is empty.
template <class T>
bool fit_and_measure_encoders(ModelParts& parts, const EncoderSamples<T>& samples, const FitRun& run);

}  // namespace dualdict
