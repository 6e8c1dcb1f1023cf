// SPDX-License-Identifier: BSD-3-Clause
#include "signals.h"

#include <unistd.h>

#include <csignal>

namespace dualdict::cli {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> signal_number{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int number) {
  if (interrupted.load()) _exit(128 + number);
  signal_number.store(number);
  interrupted.store(true);
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // A write in progress is finished rather than failing half way.
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& interrupt_flag() {
  return interrupted;
}

int interrupt_exit_code() {
  return interrupted.load() ? 128 + signal_number.load() : 0;
}

void throw_if_interrupted() {
  if (interrupted.load()) throw Interrupted(interrupt_exit_code());
}

}  // namespace dualdict::cli
