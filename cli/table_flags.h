// SPDX-License-Identifier: BSD-3-Clause
// Flags made from rows of the option table.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "dualdict/options.h"

namespace dualdict::cli {

// Adds --NAME, which sets the row's field of `options`; the help is the row's unless another is given.
CLI::Option* add_table_flag(CLI::App& app, LearnOptions& options, const OptionInfo& row, const std::string& help = "");

// The heading of a group of the table.
std::string group_title(std::string_view group);

}  // namespace dualdict::cli
