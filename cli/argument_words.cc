// SPDX-License-Identifier: BSD-3-Clause
#include "argument_words.h"

#include <algorithm>
#include <sstream>

#include "dualdict/modes.h"
#include "dualdict/options.h"

namespace dualdict::cli {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> usual_modes() {
  std::vector<std::string> modes;
  for (const ModeInfo& mode : mode_table())
    modes.push_back(std::string(mode.name) + (mode.number.empty() ? "" : ":" + std::to_string(mode.usual_number)));
  return modes;
}

// What may follow an option, where the tables name it.
std::vector<std::string> values_of(const std::string& name) {
  if (name == "mode") return usual_modes();
  if (name == "SHELL") return shells();
  const OptionInfo* row = find_learn_option(name);
  if (row == nullptr) return {};
  const std::string prefix = "one of ";
  std::string rule = option_rule(*row);
  if (rule.rfind(prefix, 0) != 0) return {};
  rule.erase(0, prefix.size());
  std::erase(rule, ',');
  return split(rule);
}

ArgumentWords argument_of(const CLI::Option& option) {
  ArgumentWords words;
  words.positional = option.get_positional();
  words.required = option.get_required();
  words.help = option.get_description();
  if (option.get_type_size() != 0) words.value = option.get_type_name();
  if (words.positional) words.names = {option.get_name(true)};
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  if (words.positional)
    words.values = values_of(words.names.front());
  else if (!option.get_lnames().empty())
    words.values = values_of(option.get_lnames().front());
  return words;
}

}  // namespace

const std::vector<std::string>& shells() {
  static const std::vector<std::string> names{"bash", "zsh", "fish"};
  return names;
}

CommandWords words_of(const CLI::App& app) {
  CommandWords words{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) words.arguments.push_back(argument_of(*option));
  return words;
}

std::vector<CommandWords> words_of_commands(const CLI::App& root) {
  std::vector<CommandWords> all;
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(words_of(*command));
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace dualdict::cli
