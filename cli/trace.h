// SPDX-License-Identifier: BSD-3-Clause
// The trace of a run: one JSON object per iteration, readable while the run goes on.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "dualdict/summary.h"

namespace dualdict::cli {

// The lines go to the file itself when there is none yet; else to FILE.dualdict-part, which takes the old file's place
// only when the run has ended well. All throw Error(kWrite).
class Trace {
 public:
  // An empty path traces nothing.
  explicit Trace(std::string path);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void add(const IterationRecord& record);
  // No more lines: makes sure that every record is in the file, those of a run that was resumed too.
  void complete(const std::vector<IterationRecord>& records);
  // Takes the place of the old trace.
  void publish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::string live_path_;  // where lines go
  std::size_t n_lines_ = 0;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace dualdict::cli
