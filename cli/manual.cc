// SPDX-License-Identifier: BSD-3-Clause
// dualdict manual: the manual page, made from the argument tree.
#include <string>

#include "argument_words.h"
#include "command.h"
#include "dualdict/version.h"
#include "output.h"

namespace dualdict::cli {
namespace {

constexpr const char* kManualExamples =
    "Examples:\n"
    "  dualdict manual | man -l -\n"
    "  dualdict manual > ~/.local/share/man/man1/dualdict.1\n";

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nAll went well.\n"
    ".TP\n.B 2\nAn option or argument breaks its rule.\n"
    ".TP\n.B 3\nA file or its content cannot be used.\n"
    ".TP\n.B 4\nA computation left the range of its numbers.\n"
    ".TP\n.B 5\nA result could not be written; what was there before is whole.\n"
    ".TP\n.B 6\nThere is not enough memory.\n"
    ".TP\n.B 7\nAnother process of the job is gone.\n"
    ".TP\n.BR 130 \", \" 143\nEnded by a signal; learning has written what it had.\n";

// Text for roff: nothing in it is a request or an escape.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string argument_item(const ArgumentWords& argument) {
  std::string heading;
  for (const std::string& name : argument.names)
    heading +=
        std::string(heading.empty() ? "" : ", ") + (argument.positional ? "\\fI" : "\\fB") + plain(name) + "\\fR";
  if (!argument.value.empty()) heading += " \\fI" + plain(argument.value) + "\\fR";
  return ".TP\n" + heading + "\n" + plain(argument.help) + "\n";
}

std::string arguments_of(const CommandWords& command) {
  std::string text;
  for (const ArgumentWords& argument : command.arguments) text += argument_item(argument);
  return text;
}

// Without their heading, and as they stand.
std::string examples_of(const CommandWords& command) {
  const auto line_end = command.examples.find('\n');
  if (line_end == std::string::npos) return "";
  return ".PP\n.nf\n" + plain(command.examples.substr(line_end + 1)) + ".fi\n";
}

std::string synopsis_of(const CommandWords& command) {
  std::string text = ".B dualdict " + plain(command.name) + "\n";
  for (const ArgumentWords& argument : command.arguments)
    if (argument.positional) text += ".I " + plain(argument.names.front()) + "\n";
  for (const ArgumentWords& argument : command.arguments)
    if (!argument.positional && argument.required)
      text += "\\fB" + plain(argument.names.front()) + "\\fR \\fI" + plain(argument.value) + "\\fR\n";
  return text + "[\\fIOPTIONS\\fR]\n";
}

std::string page(const CLI::App& root) {
  const CommandWords all = words_of(root);
  std::string text = ".TH DUALDICT 1 \"\" \"dualdict " DUALDICT_VERSION
                     "\" \"User Commands\"\n"
                     ".SH NAME\ndualdict \\- sparse dictionaries that come with their encoder\n"
                     ".SH SYNOPSIS\n.B dualdict\n.I COMMAND\n[\\fIOPTIONS\\fR]\n"
                     ".SH DESCRIPTION\n" +
                     plain(all.help) + ".\n" + examples_of(all) + ".SH OPTIONS\n" + arguments_of(all) +
                     ".SH COMMANDS\n";
  for (const CommandWords& command : words_of_commands(root))
    text += ".SS " + plain(command.name) + "\n" + plain(command.help) + ".\n.PP\n" + synopsis_of(command) +
            arguments_of(command) + examples_of(command);
  return text + kExitStatus;
}

}  // namespace

Command add_manual(CLI::App& root) {
  CLI::App* app = root.add_subcommand("manual", "Print the manual page of all commands");
  app->footer(kManualExamples);
  return {app, [&root] {
            write_stdout(page(root));
            return 0;
          }};
}

}  // namespace dualdict::cli
