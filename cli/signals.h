// SPDX-License-Identifier: BSD-3-Clause
// SIGINT, SIGTERM, SIGHUP and SIGXCPU: the first asks the work to end and be kept, the second ends the process at once,
// and so do some seconds after the first, wherever the work is by then: files appear whole or not at all, so that what
// was written before, a checkpoint too, stands.
#pragma once

#include <atomic>

namespace dualdict::cli {

// One less than is promised: to give back gigabytes takes the system a while.
inline constexpr unsigned kSecondsToEnd = 4;
// Where all of the work would be lost.
inline constexpr unsigned kSecondsToSaveAll = 15;

// Starts listening. Without this call a signal ends the process as usual.
void catch_signals(unsigned seconds = kSecondsToEnd);
// True after the first signal; what LearnHooks::interrupt points to.
const std::atomic<bool>& interrupt_flag();
// 128 + the signal's number: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP, 152 for SIGXCPU; 0 when there was none.
int interrupt_exit_code();

// A limit of the size of files is an error of the write, not the end of the process.
void ignore_file_size_signal();
// The work has ended in time and is written now: that has as many seconds again.
void give_time_to_save();

// Unwinds a command that has nothing worth keeping; not an error.
class Interrupted {
 public:
  explicit Interrupted(int exit_code) : exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};
// Throws Interrupted after a signal.
void throw_if_interrupted();

}  // namespace dualdict::cli
