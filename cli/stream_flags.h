// SPDX-License-Identifier: BSD-3-Clause
// Input that is read as a stream.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "data_flags.h"
#include "dualdict/model.h"
#include "dualdict/stream.h"

namespace dualdict::cli {

struct StreamFlags {
  bool stream = false;
  std::string raw;  // TYPE or TYPE:FEATURES, or "" for npy and files
  bool is_on() const { return stream || !raw.empty(); }
};

// --stream and --raw; `help` says what --stream does for the command.
void add_stream_flags(CLI::App& app, StreamFlags& flags, const std::string& help);

// Opens it; n_features > 0: what the samples must have, with `model` to name.
std::unique_ptr<SampleStream> open_input_stream(const std::vector<std::string>& paths, const StreamFlags& flags,
                                                const DataFlags& data, std::size_t seed, std::size_t n_features = 0,
                                                const std::string& model = "");

}  // namespace dualdict::cli
