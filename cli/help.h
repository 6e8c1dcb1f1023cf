// SPDX-License-Identifier: BSD-3-Clause
// Help that shows examples before anything else.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dualdict::cli {

// A command's examples are its footer; this formatter prints them right after the description.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace dualdict::cli
