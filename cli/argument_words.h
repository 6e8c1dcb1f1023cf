// SPDX-License-Identifier: BSD-3-Clause
// The argument tree as words: what completions and the manual page are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dualdict::cli {

// The shells that a completion can be made for.
const std::vector<std::string>& shells();

struct ArgumentWords {
  std::vector<std::string> names;   // "--tau", "-o"; of a positional one its name
  std::string value;                // "x", "FILE"; empty: the flag takes none
  std::string help;                 // as in --help
  std::vector<std::string> values;  // what may be written, where that is a list
  bool positional = false;
  bool required = false;
};

struct CommandWords {
  std::string name;
  std::string help;      // one line
  std::string examples;  // "Examples:\n  dualdict ..."
  std::vector<ArgumentWords> arguments;
};

CommandWords words_of(const CLI::App& app);
// All commands, in the order of --help.
std::vector<CommandWords> words_of_commands(const CLI::App& root);

// The words with a blank between them.
std::string joined(const std::vector<std::string>& words);

}  // namespace dualdict::cli
