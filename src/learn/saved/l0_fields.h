// SPDX-License-Identifier: BSD-3-Clause
// The part of the list of what a fit is that penalty l0 has alone.
#pragma once

#include "learn/fit/state.h"
#include "learn/saved/state_archive.h"

namespace dualdict {

// Archive: StateWriter or StateReader.
template <class Archive>
void walk_l0(Archive& archive, FitState& state);

}  // namespace dualdict
