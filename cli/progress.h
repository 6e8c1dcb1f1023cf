// SPDX-License-Identifier: BSD-3-Clause
// What a person sees on stderr while a fit runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dualdict/options.h"
#include "dualdict/progress.h"
#include "dualdict/summary.h"

namespace dualdict::cli {

enum class ProgressStyle {
  kNone,
  kSeldom,  // a plain line every few seconds
  kLines,   // one plain line per iteration, and every few seconds
  kLive,    // one line, rewritten
};
// Live on a terminal that can rewrite a line; plain lines on a dumb one and with --progress; seldom in a file or a
// pipe; nothing with --quiet.
ProgressStyle progress_style(bool quiet, bool progress);

// Whatever the fit is busy with, a thread says so within two seconds and then every few.
class Progress {
 public:
  // `phase` outlives it.
  Progress(ProgressStyle style, const LearnOptions& options, const LearnProgress& phase);
  ~Progress();
  void record(const IterationRecord& record);
  void message(const std::string& text);
  // A line that is shown in every style but kNone.
  void note(const std::string& text);
  // Ends the rewritten line, so that what follows starts on its own; nothing is said any more.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(const IterationRecord& record) const;
  void watch();
  // With the mutex.
  void say_phase();
  void rewrite(std::string text, bool green);
  bool is_silent_for(double seconds) const;

  ProgressStyle style_;
  LearnOptions options_;
  const LearnProgress& phase_;
  bool color_;
  bool line_open_ = false;
  std::vector<IterationRecord> last_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_said_ = start_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread watcher_;
};

}  // namespace dualdict::cli
