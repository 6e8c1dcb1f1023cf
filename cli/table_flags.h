// SPDX-License-Identifier: BSD-3-Clause
// Flags made from rows of the tables of options and of modes.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "dualdict/options.h"

namespace dualdict::cli {

// Adds --NAME, which sets the row's field of `options`; the help is the row's unless another is given.
CLI::Option* add_table_flag(CLI::App& app, LearnOptions& options, const OptionInfo& row, const std::string& help = "");

// Adds an option that is no row of a table: a whole number, or a number, within a range. Read as those of the tables
// are.
CLI::Option* add_count(CLI::App& app, const std::string& name, std::size_t& field, const std::string& help,
                       std::size_t min, std::size_t max);
CLI::Option* add_number(CLI::App& app, const std::string& name, double& field, const std::string& help, double min,
                        double max);

// Adds --mode, whose value is checked when the command line is read; `help` comes before the list of the modes.
CLI::Option* add_mode_option(CLI::App& app, std::string& mode, const std::string& help);

// Adds --debias and --no-debias.
void add_debias_flag(CLI::App& app, std::optional<bool>& debias);

// The heading of a group of the table.
std::string group_title(std::string_view group);

}  // namespace dualdict::cli
