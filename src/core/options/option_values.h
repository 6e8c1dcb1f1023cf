// SPDX-License-Identifier: BSD-3-Clause
// What setting an option and checking all of them share.
#pragma once

#include <string>
#include <string_view>

#include "dualdict/options.h"

namespace dualdict {

// Finite and within the row's bounds.
bool in_range(const OptionInfo& option, double value);
// Throws Error(kUsage): "--tau: -1 is not allowed: a number >= 0".
[[noreturn]] void refuse_option(const OptionInfo& option, std::string_view text);
// The shortest text that reads back to the same number.
std::string number_text(double value);

}  // namespace dualdict
