// SPDX-License-Identifier: BSD-3-Clause
// Unknown commands and options, refused by name, with the nearest known name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dualdict::cli {

// Throws Error(kUsage) for the first unknown command or option. Runs before parsing, because the parser would rather
// complain about a missing argument than about the misspelt one.
void refuse_unknown_names(const CLI::App& root, const std::vector<std::string>& arguments);

}  // namespace dualdict::cli
