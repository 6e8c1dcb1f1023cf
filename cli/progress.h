// SPDX-License-Identifier: BSD-3-Clause
// What a person sees on stderr while a fit runs.
#pragma once

#include <string>
#include <vector>

#include "dualdict/options.h"
#include "dualdict/summary.h"

namespace dualdict::cli {

enum class ProgressStyle {
  kNone,
  kLines,  // one plain line per iteration
  kLive,   // one line, rewritten
};
// Live on a terminal that can rewrite a line; plain lines on a dumb one and with --progress; nothing with --quiet.
ProgressStyle progress_style(bool quiet, bool progress);

class Progress {
 public:
  Progress(ProgressStyle style, const LearnOptions& options);
  ~Progress();
  void record(const IterationRecord& record);
  void message(const std::string& text);
  // Ends the rewritten line, so that what follows starts on its own.
  void finish();

 private:
  std::string line(const IterationRecord& record) const;

  ProgressStyle style_;
  LearnOptions options_;
  bool color_;
  bool line_open_ = false;
  std::vector<IterationRecord> last_;
};

}  // namespace dualdict::cli
