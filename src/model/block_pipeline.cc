// SPDX-License-Identifier: BSD-3-Clause
#include "model/block_pipeline.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dualdict {
namespace {

class Pipeline {
 public:
  Pipeline(std::size_t n_blocks, std::size_t n_slots, const PipelineSteps& steps)
      : n_blocks_(n_blocks), n_slots_(n_slots), steps_(steps), is_made_(n_slots) {}

  // One thread's share: returns when nothing is left to begin.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_over() || can_write() || can_make(); });
      if (is_over()) return;
      if (can_write())
        write_one(lock);
      else
        make_one(lock);
      changed_.notify_all();
    }
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool is_over() const { return failure_ || n_written_ == n_blocks_; }
  bool can_write() const { return !writing_ && is_made_[n_written_ % n_slots_]; }
  bool can_make() const { return n_begun_ < n_blocks_ && n_begun_ - n_written_ < n_slots_; }

  void write_one(std::unique_lock<std::mutex>& lock) {
    writing_ = true;
    const std::size_t block = n_written_;
    if (!run(lock, steps_.write, block)) return;
    writing_ = false;
    is_made_[block % n_slots_] = false;
    ++n_written_;
  }

  void make_one(std::unique_lock<std::mutex>& lock) {
    const std::size_t block = n_begun_++;
    if (run(lock, steps_.make, block)) is_made_[block % n_slots_] = true;
  }

  // Runs a step without the lock; false when it threw.
  bool run(std::unique_lock<std::mutex>& lock, const std::function<void(std::size_t, std::size_t)>& step,
           std::size_t block) {
    lock.unlock();
    std::exception_ptr thrown;
    try {
      step(block, block % n_slots_);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown && (!failure_ || block < failed_block_)) {
      failure_ = thrown;
      failed_block_ = block;
    }
    return !thrown;
  }

  const std::size_t n_blocks_;
  const std::size_t n_slots_;
  const PipelineSteps& steps_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_made_;  // of each slot: holds a block that is not written yet
  std::size_t n_begun_ = 0;
  std::size_t n_written_ = 0;
  bool writing_ = false;
  std::exception_ptr failure_;
  std::size_t failed_block_ = 0;
};

}  // namespace

std::size_t n_pipeline_slots(std::size_t n_threads) {
  return n_threads == 1 ? 1 : n_threads + 2;
}

void run_pipeline(std::size_t n_blocks, std::size_t n_threads, const PipelineSteps& steps) {
  Pipeline pipeline(n_blocks, n_pipeline_slots(n_threads), steps);
  std::vector<std::jthread> others;
  try {
    others.reserve(n_threads - 1);
    for (std::size_t i = 1; i < n_threads; ++i) others.emplace_back([&] { pipeline.work(); });
  } catch (...) {
    // No room for one more: fewer threads give the same file, only later.
  }
  pipeline.work();
  others.clear();
  pipeline.rethrow_failure();
}

}  // namespace dualdict
