// SPDX-License-Identifier: BSD-3-Clause
// The caller's wish to end, how long the work may go on after it, and when it has to end by itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace dualdict {

// Thrown between blocks when the wish is due or the time is over; learn() turns it into an outcome.
struct Interrupted {};

// May be asked from several threads at once.
class Interrupt {
 public:
  using Clock = std::chrono::steady_clock;

  // `flag` may be nullptr: never. With patience, work that is under way has so many seconds, counted from when the
  // wish is first seen, to reach the end of its iteration.
  explicit Interrupt(const std::atomic<bool>* flag, double patience_seconds = 0)
      : flag_(flag), patience_(patience_seconds) {}

  // From then on throw_if_due() throws, whatever the flag says.
  void end_at(Clock::time_point end) { end_ = end.time_since_epoch().count(); }

  bool is_requested() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }
  void throw_if_due() const {
    if (is_requested() && patience_is_over()) throw Interrupted{};
    if (end_ != 0 && Clock::now().time_since_epoch().count() >= end_) throw Interrupted{};
  }

 private:
  bool patience_is_over() const {
    if (patience_ <= 0) return true;
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep first = 0;
    if (first_seen_.compare_exchange_strong(first, now)) return false;
    return std::chrono::duration<double>(Clock::duration(now - first)).count() >= patience_;
  }

  const std::atomic<bool>* flag_;
  double patience_;
  mutable std::atomic<Clock::rep> first_seen_{0};
  std::atomic<Clock::rep> end_{0};  // 0: never
};

}  // namespace dualdict
