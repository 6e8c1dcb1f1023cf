// SPDX-License-Identifier: BSD-3-Clause
// dualdict completion: scripts for shells, made from the argument tree.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "argument_words.h"
#include "command.h"
#include "output.h"

namespace dualdict::cli {
namespace {

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  source <(dualdict completion bash)\n"
    "  dualdict completion bash > ~/.local/share/bash-completion/completions/dualdict\n"
    "  dualdict completion zsh > ~/.zfunc/_dualdict\n"
    "  dualdict completion fish > ~/.config/fish/completions/dualdict.fish\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string flags_of(const CommandWords& command) {
  std::vector<std::string> flags;
  for (const ArgumentWords& argument : command.arguments)
    if (!argument.positional) flags.insert(flags.end(), argument.names.begin(), argument.names.end());
  return joined(flags);
}

std::string bash_script(const CLI::App& root) {
  std::string names;
  std::string cases;
  std::map<std::string, std::string> values;  // of an option, the same in every command
  std::string positional;
  for (const CommandWords& command : words_of_commands(root)) {
    names += command.name + " ";
    cases += "    " + command.name + ") words='" + flags_of(command) + "' ;;\n";
    for (const ArgumentWords& argument : command.arguments) {
      if (argument.values.empty()) continue;
      if (argument.positional)
        positional += "  elif [ \"${COMP_WORDS[1]}\" = " + command.name +
                      " ] && [[ $current != -* ]]; then COMPREPLY=($(compgen -W '" + joined(argument.values) +
                      "' -- \"$current\"));\n";
      else
        values[argument.names.front()] = joined(argument.values);
    }
  }
  std::string after;
  for (const auto& [name, words] : values) after += "    " + name + ") values='" + words + "' ;;\n";
  return "# Completion of the dualdict command for bash: source this file.\n"
         "_dualdict() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' values=''\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names + flags_of(words_of(root)) +
         "' -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$previous\" in\n" +
         after +
         "  esac\n"
         "  case \"${COMP_WORDS[1]}\" in\n" +
         cases +
         "  esac\n"
         "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$current\"));\n" +
         positional +
         "  elif [[ $current == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\")); fi\n"
         "}\n"
         "complete -o default -F _dualdict dualdict\n";
}

// A help text within the brackets or between the colons of a specification of zsh.
std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) text = replaced(text, special, std::string("\\") + special);
  return text;
}

std::string zsh_action(const ArgumentWords& argument) {
  return argument.values.empty() ? "_files" : "(" + replaced(joined(argument.values), ":", "\\:") + ")";
}

std::string zsh_arguments(const CommandWords& command, const std::string& indent) {
  std::string text;
  for (const ArgumentWords& argument : command.arguments) {
    if (argument.positional) {
      text += " \\\n" + indent + shell_word("*:" + zsh_text(argument.names.front()) + ":" + zsh_action(argument));
      continue;
    }
    for (const std::string& name : argument.names) {
      std::string specification = name + "[" + zsh_text(argument.help) + "]";
      if (!argument.value.empty()) specification += ":" + zsh_text(argument.value) + ":" + zsh_action(argument);
      text += " \\\n" + indent + shell_word(specification);
    }
  }
  return text;
}

// Of several positional arguments one specification is enough: all are files.
CommandWords with_one_positional(CommandWords command) {
  bool seen = false;
  std::erase_if(command.arguments,
                [&](const ArgumentWords& argument) { return argument.positional && std::exchange(seen, true); });
  return command;
}

std::string zsh_script(const CLI::App& root) {
  std::string commands;
  std::string cases;
  for (const CommandWords& command : words_of_commands(root)) {
    commands += "    " + shell_word(replaced(command.name, ":", "\\:") + ":" + command.help) + "\n";
    cases += "    " + command.name + ")\n      _arguments" + zsh_arguments(with_one_positional(command), "        ") +
             " ;;\n";
  }
  return "#compdef dualdict\n"
         "# Completion of the dualdict command for zsh: a file _dualdict in a folder of $fpath.\n"
         "_dualdict() {\n"
         "  local context state state_descr line\n"
         "  typeset -A opt_args\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  _arguments -C" +
         zsh_arguments(words_of(root), "    ") +
         " \\\n    '1:command:->command' '*::argument:->argument'\n"
         "  if [[ $state == command ]]; then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  case $line[1] in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _dualdict ]]; then _dualdict \"$@\"; else compdef _dualdict dualdict; fi\n";
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_arguments(const CommandWords& command, const std::string& condition) {
  std::string text;
  for (const ArgumentWords& argument : command.arguments) {
    std::string line = "complete -c dualdict -n " + fish_quoted(condition);
    const std::string values = argument.values.empty() ? "" : " -a " + fish_quoted(joined(argument.values));
    if (argument.positional) {
      if (!values.empty()) text += line + " -f" + values + "\n";
      continue;
    }
    for (const std::string& name : argument.names)
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!argument.value.empty()) line += values.empty() ? " -r" : " -x" + values;
    text += line + " -d " + fish_quoted(argument.help) + "\n";
  }
  return text;
}

std::string fish_script(const CLI::App& root) {
  const std::string first = "__fish_use_subcommand";
  std::string text = "# Completion of the dualdict command for fish: dualdict.fish in a folder of completions.\n" +
                     fish_arguments(words_of(root), first);
  for (const CommandWords& command : words_of_commands(root)) {
    text += "complete -c dualdict -f -n " + first + " -a " + command.name + " -d " + fish_quoted(command.help) + "\n";
    text += fish_arguments(command, "__fish_seen_subcommand_from " + command.name);
  }
  return text;
}

std::string script_for(const std::string& shell, const CLI::App& root) {
  if (shell == "zsh") return zsh_script(root);
  if (shell == "fish") return fish_script(root);
  return bash_script(root);
}

}  // namespace

Command add_completion(CLI::App& root) {
  CLI::App* app = root.add_subcommand("completion", "Print a script that completes commands and flags in a shell");
  const auto shell = std::make_shared<std::string>();
  app->footer(kCompletionExamples);
  app->add_option("SHELL", *shell, "one of " + joined(shells()))
      ->required()
      ->type_name("")
      ->check(CLI::IsMember(shells()));
  return {app, [&root, shell] {
            write_stdout(script_for(*shell, root));
            return 0;
          }};
}

}  // namespace dualdict::cli
