// SPDX-License-Identifier: BSD-3-Clause
// What learn starts from: the preprocessing and the first dictionary.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "dualdict/options.h"
#include "dualdict/preprocess.h"

namespace dualdict::cli {

struct StartFlags {
  std::string init = "samples";  // or a file
  std::string scale = "none";    // none, unit or a number
  bool center_samples = false;
  bool center_features = false;
};

void add_start_flags(CLI::App& app, StartFlags& flags);
PreprocessOptions parse_preprocess(const StartFlags& flags);
// Reads the file of --init, if any; its number of rows is the default of --atoms. Throws Error(kUsage) when the number
// of atoms stays unknown.
void set_start(const StartFlags& flags, LearnOptions& options);

}  // namespace dualdict::cli
