// SPDX-License-Identifier: BSD-3-Clause
// What learning is doing at the moment, for whoever shows it: learn() sets it, any thread may read it at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

namespace dualdict {

class LearnProgress {
 public:
  // A phase begins: "fitting the encoders". It has `total` parts, of some unit; 0 when nobody knows how many.
  void begin(std::string phase, std::size_t total = 0, std::string unit = "") {
    const std::lock_guard lock(mutex_);
    phase_ = std::move(phase);
    unit_ = std::move(unit);
    total_ = total;
    done_ = 0;
  }
  void advance(std::size_t parts = 1) { done_ += parts; }
  // "fitting the encoders, 2 of 4 modes"; empty before anything has begun.
  std::string text() const {
    const std::lock_guard lock(mutex_);
    if (total_ == 0) return phase_;
    const std::size_t done = done_;
    std::string text = phase_ + ", " + std::to_string(done < total_ ? done : total_) + " of " + std::to_string(total_);
    return unit_.empty() ? text : text + " " + unit_;
  }

 private:
  mutable std::mutex mutex_;
  std::string phase_;
  std::string unit_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> done_ = 0;
};

}  // namespace dualdict
