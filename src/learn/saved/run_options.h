// SPDX-License-Identifier: BSD-3-Clause
// The options of a run in a file of tensors, and back: every option as its text, preprocessing, given starts.
#pragma once

#include <cstddef>
#include <string>

#include "dualdict/options.h"
#include "dualdict/preprocess.h"
#include "io/tensors/safetensors.h"
#include "learn/fit/state.h"

namespace dualdict {

struct RunOptions {
  LearnOptions options;
  PreprocessOptions preprocess;
  std::size_t n_features = 0;  // 0: not known yet
};

void add_run(TensorFile& file, const RunOptions& run);
// `name` is for messages. Throws Error(kInput) when something is missing.
RunOptions read_run(const TensorFile& file, const std::string& name);
// The state (fit_file.h) of such a run, whose features are known.
FitState read_fit(const TensorFile& file, const std::string& name, const RunOptions& run);

}  // namespace dualdict
