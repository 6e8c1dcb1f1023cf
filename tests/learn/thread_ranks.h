// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of this process: collectives without a launcher.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "dualdict/communicator.h"
#include "dualdict/error.h"

namespace dualdict {

// What the threads share: one round of values at a time, combined in the order of the ranks.
class ThreadGroup {
 public:
  explicit ThreadGroup(std::size_t size) : parts_(size) {}
  std::size_t size() const { return parts_.size(); }

  void combine(std::size_t rank, std::span<double> values, bool sum) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return leaving_ == 0; });
    parts_[rank] = values;
    if (rank == 0) sizes_.push_back(values.size() * sizeof(double));
    const std::size_t round = round_;
    if (++arrived_ == size()) {
      finish(sum);
    } else {
      wait(lock, [&] { return round_ != round; });
    }
    std::copy(result_.begin(), result_.end(), values.begin());
    if (--leaving_ == 0) changed_.notify_all();
  }

  void abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }

  // Bytes of every collective so far.
  std::vector<std::size_t> message_sizes() const {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, const Ready& ready) {
    changed_.wait(lock, [&] { return abandoned_ || ready(); });
    if (abandoned_) throw Error(ErrorKind::kRank, "a rank is gone");
  }
  void finish(bool sum) {
    result_.assign(parts_[0].begin(), parts_[0].end());
    for (std::size_t r = 1; r < size(); ++r) {
      if (parts_[r].size() != result_.size()) throw std::logic_error("ranks that call different collectives");
      for (std::size_t i = 0; i < result_.size(); ++i)
        result_[i] = sum ? result_[i] + parts_[r][i] : std::max(result_[i], parts_[r][i]);
    }
    arrived_ = 0;
    leaving_ = size();
    ++round_;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::span<double>> parts_;
  std::vector<double> result_;
  std::vector<std::size_t> sizes_;
  std::size_t arrived_ = 0;
  std::size_t leaving_ = 0;
  std::size_t round_ = 0;
  bool abandoned_ = false;
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(ThreadGroup& group, std::size_t rank) : group_(group), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return group_.size(); }
  void sum(std::span<double> values) override { group_.combine(rank_, values, true); }
  void max(std::span<double> values) override { group_.combine(rank_, values, false); }
  void abandon(int) noexcept override { group_.abandon(); }

 private:
  ThreadGroup& group_;
  std::size_t rank_;
};

// Runs work(communicator) on every rank; what each threw, or nullptr.
inline std::vector<std::exception_ptr> run_ranks(ThreadGroup& group, const std::function<void(Communicator&)>& work) {
  std::vector<std::exception_ptr> failures(group.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < group.size(); ++r)
    threads.emplace_back([&, r] {
      ThreadRank rank(group, r);
      try {
        work(rank);
      } catch (...) {
        failures[r] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace dualdict
