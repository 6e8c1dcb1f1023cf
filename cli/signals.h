// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and SIGTERM: the first asks the work to end and be kept, the second ends the process at once.
#pragma once

#include <atomic>

namespace dualdict::cli {

// Starts listening. Without this call a signal ends the process as usual.
void catch_signals();
// True after the first signal; what LearnHooks::interrupt points to.
const std::atomic<bool>& interrupt_flag();
// 128 + the signal's number: 130 for SIGINT, 143 for SIGTERM; 0 when there was none.
int interrupt_exit_code();

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
