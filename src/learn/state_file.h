// SPDX-License-Identifier: BSD-3-Clause
// The learner's state as tensors, bit for bit, and back.
#pragma once

#include <string>

#include "io/tensors/safetensors.h"
#include "learn/state.h"

namespace dualdict {

template <class T>
void add_state(TensorFile& file, const LearnState<T>& state, bool with_codes);

// Fills the state, whose codes have their final shape; `path` is for messages. Throws Error(kInput) when a tensor is
// missing, has another shape, or holds what no learner can have written.
template <class T>
void read_state(const TensorFile& file, const std::string& path, LearnState<T>& state, bool with_codes);

}  // namespace dualdict
