// SPDX-License-Identifier: BSD-3-Clause
// Text of others (names in a model, file names, arguments) on its way to a terminal, which would obey what it holds.
#pragma once

#include <string>
#include <string_view>

namespace dualdict::cli {

// Control characters, what turns the direction of writing, and bytes that are no UTF-8 as \xNN; lines stay lines.
std::string printable(std::string_view text);
// The same with line ends too.
std::string one_line(std::string_view text);
// JSON says the same with \uNNNN in their place; what is no control character stays.
std::string printable_json(std::string_view json);

// To standard error, printable.
void say(std::string_view text);

}  // namespace dualdict::cli
