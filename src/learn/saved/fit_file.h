// SPDX-License-Identifier: BSD-3-Clause
// A FitState as tensors, bit for bit, and back: in checkpoints and in pickled learners.
#pragma once

#include <string>

#include "io/tensors/safetensors.h"
#include "learn/fit/state.h"

namespace dualdict {

void add_state(TensorFile& file, const FitState& state);

// Fills a state that is of the right shape otherwise (empty_state); `path` is for messages. Throws Error(kInput) when a
// tensor is missing, has another shape, or holds what no fit can have written.
void read_state(const TensorFile& file, const std::string& path, FitState& state);

}  // namespace dualdict
