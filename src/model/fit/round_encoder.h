// SPDX-License-Identifier: BSD-3-Clause
// Fitted tensors in the precision of the model file, so that what is measured is what is stored.
#pragma once

#include "dualdict/model.h"

namespace dualdict {

// Rounds every tensor to the precision of the model file. An atom whose numbers do not fit it is switched off (gain 0),
// a decoder row likewise: no tensor ever holds NaN or Inf.
void round_to(DType dtype, FittedEncoder& encoder);

}  // namespace dualdict
