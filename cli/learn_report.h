// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "dualdict/learn.h"

namespace dualdict::cli {

// How the fit ended, what it measured, and what to try next.
std::string closing_summary(const LearnResult& result, const std::string& path);
// "0.123 = 0.1 reconstruction + 0.02 coding + 0.003 l1 + 0 l2".
std::string energy_text(const Energy& energy);

}  // namespace dualdict::cli
