// SPDX-License-Identifier: BSD-3-Clause
// The trace of a run: one JSON object per iteration, readable while the run goes on.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "dualdict/summary.h"

namespace dualdict::cli {

class Trace {
 public:
  // An empty path traces nothing. The file is opened, and an old one emptied, at the first record: a run that fails
  // before leaves it as it was.
  explicit Trace(std::string path) : path_(std::move(path)) {}
  // Throws Error(kWrite).
  void add(const IterationRecord& record);
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace dualdict::cli
