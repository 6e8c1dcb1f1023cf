// SPDX-License-Identifier: BSD-3-Clause
// The commands: each file adds its flags to the argument tree and says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace dualdict::cli {

struct Command {
  CLI::App* app;
  std::function<int()> run;  // returns the exit code
};

Command add_learn(CLI::App& root);
Command add_encode(CLI::App& root);
Command add_decode(CLI::App& root);
Command add_denoise(CLI::App& root);
Command add_info(CLI::App& root);
Command add_verify(CLI::App& root);
Command add_score(CLI::App& root);
Command add_mosaic(CLI::App& root);
Command add_report(CLI::App& root);
Command add_options(CLI::App& root);
Command add_completion(CLI::App& root);
Command add_manual(CLI::App& root);
Command add_generate(CLI::App& root);
Command add_convert(CLI::App& root);
Command add_audit(CLI::App& root);
Command add_compare(CLI::App& root);
Command add_index(CLI::App& root);
Command add_search(CLI::App& root);

}  // namespace dualdict::cli
