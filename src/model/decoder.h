// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dualdict/encode.h"

namespace dualdict {

// The matrix (K x d) that turns codes of a mode back into preprocessed samples; throws Error(kInput) when the model has
// none.
const Matrix<double>& decoder_of(const ModelParts& parts, EncodeMode mode, DecodeWith with);

}  // namespace dualdict
