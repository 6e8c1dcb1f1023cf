// SPDX-License-Identifier: BSD-3-Clause
// Where a command's samples come from: files, folders of images cut into patches, standard input.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "dualdict/data.h"

namespace dualdict::cli {

struct DataFlags {
  std::string patches;           // "12x12", or "" for matrix files
  std::size_t samples = 100000;  // patches to draw
  bool samples_given = false;
  std::size_t stride = 0;  // between patches when all are taken; 0: random ones
  bool grey = false;
};

void add_data_flags(CLI::App& app, DataFlags& flags);
// HEIGHTxWIDTH; throws Error(kUsage).
PatchOptions parse_patches(const DataFlags& flags, std::size_t seed);
// With options.patches set when --patches was given. n_features > 0: what the samples must have, which says whether
// they are grey or coloured.
DataOptions data_options(const DataFlags& flags, std::size_t seed, std::size_t n_features = 0);

// An opened source; when a path is "-", with the copy of standard input that it reads.
class Input {
 public:
  Input(const std::vector<std::string>& paths, const DataOptions& options);
  const DataSource& operator*() const { return renamed_ ? *renamed_ : *source_; }
  const DataSource* operator->() const { return &**this; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> copy_;  // outlives source_
  std::unique_ptr<DataSource> source_;
  std::unique_ptr<DataSource> renamed_;  // says "standard input" instead of the copy's path
};

}  // namespace dualdict::cli
