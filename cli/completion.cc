// SPDX-License-Identifier: BSD-3-Clause
// dualdict completion: a shell script made from the argument tree.
#include <memory>
#include <string>

#include "command.h"
#include "dualdict/modes.h"
#include "dualdict/options.h"
#include "output.h"

namespace dualdict::cli {
namespace {

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  source <(dualdict completion bash)\n"
    "  dualdict completion bash > ~/.local/share/bash-completion/completions/dualdict\n";

std::string flags_of(const CLI::App& app) {
  std::string flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags += (flags.empty() ? "--" : " --") + name;
    for (const std::string& name : option->get_snames()) flags += (flags.empty() ? "-" : " -") + name;
  }
  return flags;
}

// The words that may follow an option, for options with named values.
std::string values_of_options() {
  const std::string prefix = "one of ";
  std::string modes;
  for (const ModeInfo& mode : mode_table())
    modes += (modes.empty() ? "" : " ") + std::string(mode.name) +
             (mode.number.empty() ? "" : ":" + std::to_string(mode.usual_number));
  std::string cases = "    --mode) values='" + modes + "' ;;\n";
  for (const OptionInfo& row : learn_option_table()) {
    std::string rule = option_rule(row);
    if (rule.rfind(prefix, 0) != 0) continue;
    rule.erase(0, prefix.size());
    std::erase(rule, ',');
    cases += "    --" + std::string(row.name) + ") values='" + rule + "' ;;\n";
  }
  return cases;
}

std::string bash_script(const CLI::App& root) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += "    " + command->get_name() + ") words='" + flags_of(*command) + "' ;;\n";
  }
  return "# Completion of the dualdict command for bash: source this file.\n"
         "_dualdict() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' values=''\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         commands + " " + flags_of(root) +
         "' -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$previous\" in\n" +
         values_of_options() +
         "  esac\n"
         "  case \"${COMP_WORDS[1]}\" in\n" +
         cases +
         "  esac\n"
         "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$current\"));\n"
         "  elif [ \"${COMP_WORDS[1]}\" = completion ] && [[ $current != -* ]]; then"
         " COMPREPLY=($(compgen -W 'bash' -- \"$current\"));\n"
         "  elif [[ $current == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\")); fi\n"
         "}\n"
         "complete -o default -F _dualdict dualdict\n";
}

}  // namespace

Command add_completion(CLI::App& root) {
  CLI::App* app = root.add_subcommand("completion", "Print a script that completes commands and flags in a shell");
  const auto shell = std::make_shared<std::string>();
  app->footer(kCompletionExamples);
  app->add_option("SHELL", *shell, "bash")->required()->type_name("")->check(CLI::IsMember({"bash"}));
  return {app, [&root, shell] {
            write_stdout(bash_script(root));
            return 0;
          }};
}

}  // namespace dualdict::cli
