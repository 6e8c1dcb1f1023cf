// SPDX-License-Identifier: BSD-3-Clause
#include "help.h"

namespace dualdict::cli {

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
  std::string full_name = name;
  if (app->get_parent() != nullptr && full_name == app->get_name())
    full_name = app->get_parent()->get_name() + " " + full_name;
  std::string text = app->get_description() + "\n\n";
  if (!app->get_footer().empty()) text += app->get_footer() + "\n";
  return text + make_usage(app, full_name) + make_positionals(app) + make_groups(app, mode) +
         make_subcommands(app, mode);
}

// Only the kind of value: defaults and rules stand in the help text, in words.
std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return "";
  std::string text = option->get_type_name().empty() ? "" : " " + option->get_type_name();
  if (option->get_expected_max() > 1) text += " ...";
  return text;
}

}  // namespace dualdict::cli
