// SPDX-License-Identifier: BSD-3-Clause
// learn() with penalty l0, on samples in memory.
#pragma once

#include "dualdict/learn.h"

namespace dualdict {

// Throws Error(kUsage) for what this penalty cannot do yet, by name.
void check_l0(const LearnContext& context);
// The same where samples are not all in memory.
void require_l1(const LearnOptions& options);
LearnResult learn_l0(const DataSource& data, const LearnOptions& options, const LearnContext& context);

}  // namespace dualdict
