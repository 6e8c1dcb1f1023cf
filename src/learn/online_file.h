// SPDX-License-Identifier: BSD-3-Clause
// The state of an online learner as bytes (safetensors), and back to the same bits.
#pragma once

#include <string>
#include <string_view>

#include "learn/online_state.h"

namespace dualdict {

std::string online_bytes(const OnlineState& state);
// Throws Error(kInput) when the bytes are not such a state.
OnlineState online_from_bytes(std::string_view bytes);

}  // namespace dualdict
