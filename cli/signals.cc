// SPDX-License-Identifier: BSD-3-Clause
#include "signals.h"

#include <unistd.h>

#include <csignal>

namespace dualdict::cli {
namespace {

unsigned seconds_to_end = kSecondsToEnd;  // set before a handler is

std::atomic<bool> interrupted{false};
std::atomic<int> signal_number{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// Kept from the beginning: a handler may not take memory.
constexpr char kTooLate[] =
    "dualdict: the work took too long to end after the signal and was cut: what was written before stands, a "
    "checkpoint "
    "too\n";

extern "C" void on_signal(int number) {
  if (interrupted.load()) {
    // The kernel sends this one every second.
    if (number == SIGXCPU && signal_number.load() == SIGXCPU) return;
    _exit(128 + number);
  }
  signal_number.store(number);
  interrupted.store(true);
  alarm(seconds_to_end);
}

extern "C" void on_alarm(int) {
  static_cast<void>(!write(STDERR_FILENO, kTooLate, sizeof kTooLate - 1));
  _exit(128 + signal_number.load());
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // A write in progress is finished rather than failing half way.
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

}  // namespace

void catch_signals(unsigned seconds) {
  seconds_to_end = seconds;
  handle(SIGALRM, on_alarm);
  for (const int number : {SIGINT, SIGTERM, SIGXCPU}) handle(number, on_signal);
  // Under nohup a closed terminal is to end nothing.
  struct sigaction before {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) handle(SIGHUP, on_signal);
}

void ignore_file_size_signal() {
  std::signal(SIGXFSZ, SIG_IGN);
}

void give_time_to_save() {
  if (interrupted.load()) alarm(seconds_to_end);
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
