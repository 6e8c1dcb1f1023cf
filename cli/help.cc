// SPDX-License-Identifier: BSD-3-Clause
#include "help.h"

#include <sstream>

namespace dualdict::cli {
namespace {

constexpr std::size_t kNameColumn = 30;
constexpr std::size_t kLineWidth = 110;

// `name` in its column, the words of `text` beside it, wrapped.
std::string two_columns(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  std::string result;
  if (line.size() + 2 > kNameColumn) {
    result = line + "\n";
    line.clear();
  }
  line.resize(kNameColumn, ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > kNameColumn && line.size() + 1 + word.size() > kLineWidth) {
      result += line + "\n";
      line.assign(kNameColumn, ' ');
    }
    line += (line.size() > kNameColumn ? " " : "") + word;
  }
  return result + line + "\n";
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(kNameColumn);
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = app->get_description() + ".\n\n";
  if (!app->get_footer().empty()) text += app->get_footer() + "\n";
  text += make_usage(app, name) + make_positionals(app) + make_groups(app, mode) + make_subcommands(app, mode);
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
  return text;
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  const bool is_root = app->get_parent() == nullptr;
  std::string text = "Usage: " + (is_root ? name + " COMMAND" : "dualdict " + app->get_name());
  for (const CLI::Option* option : app->get_options())
    if (option->get_positional()) text += " " + make_option_usage(option);
  for (const CLI::Option* option : app->get_options())
    if (option->nonpositional() && option->get_required())
      text += " " + option->get_name(false, true).substr(0, 2) + make_option_opts(option);
  return text + " [OPTIONS]\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return two_columns(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

// Only the kind of value: defaults and rules stand in the help text, in words.
std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  return option->get_type_size() == 0 || option->get_type_name().empty() ? "" : " " + option->get_type_name();
}

}  // namespace dualdict::cli
