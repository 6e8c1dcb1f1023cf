// SPDX-License-Identifier: BSD-3-Clause
// Changes of a model file that keep it a file: what is wrong with it lies behind the parser and the checksum.
#pragma once

#include "core/random.h"
#include "io/tensors/safetensors.h"

namespace dualdict {

// One to four changes of tensors, metadata or description, and the checksum of what came out.
void mutate(TensorFile& file, Random& random);

}  // namespace dualdict
