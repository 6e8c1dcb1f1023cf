// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace dualdict {

// Wall time since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace dualdict
