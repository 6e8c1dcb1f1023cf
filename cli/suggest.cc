// SPDX-License-Identifier: BSD-3-Clause
#include "suggest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>

#include "dualdict/error.h"

namespace dualdict::cli {
namespace {

// Insertions, deletions and replacements that turn one word into the other.
std::size_t edit_distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (from[i - 1] == to[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(word, name);
    if (distance >= best) continue;
    best = distance;
    nearest = name;
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

void refuse_unknown_option(const CLI::App& app, const std::string& argument) {
  const bool is_long = argument.rfind("--", 0) == 0;
  // -5 and -.5 are numbers; -oFILE is -o.
  if (!is_long && std::isalpha(static_cast<unsigned char>(argument[1])) == 0) return;
  const std::string name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
  const std::vector<std::string> known = option_names(app);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string command = app.get_parent() == nullptr ? "dualdict" : "dualdict " + app.get_name();
  throw Error(ErrorKind::kUsage, name + ": is no option of " + command + (is_long ? suggestion(name, known) : ""));
}

const CLI::App* find_command(const CLI::App& root, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return command;
    known.push_back(command->get_name());
  }
  const std::string hint = suggestion(name, known);
  throw Error(ErrorKind::kUsage,
              name + ": is no command of dualdict" + (hint.empty() ? " (see dualdict --help)" : hint));
}

}  // namespace

void refuse_unknown_names(const CLI::App& root, const std::vector<std::string>& arguments) {
  const CLI::App* app = &root;
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    if (argument.size() > 1 && argument[0] == '-')
      refuse_unknown_option(*app, argument);
    else if (app == &root)
      app = find_command(root, argument);
  }
}

}  // namespace dualdict::cli
