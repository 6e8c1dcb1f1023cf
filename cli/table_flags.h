// SPDX-License-Identifier: BSD-3-Clause
// Flags made from rows of the option table.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "dualdict/options.h"

namespace dualdict::cli {

// Adds --NAME, which sets the row's field of `options`; the help is the row's unless another is given.
CLI::Option* add_table_flag(CLI::App& app, LearnOptions& options, const OptionInfo& row, const std::string& help = "");

}  // namespace dualdict::cli
