// SPDX-License-Identifier: BSD-3-Clause
#include "core/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

namespace dualdict {
namespace {

// CPUs granted by cgroup v2 ("quota period" or "max period") or v1; infinity when there is no limit.
double cgroup_cpus() {
  double limit = INFINITY;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
    std::string quota;
    double period = 0;
    if (v2 >> quota >> period && quota != "max" && period > 0) limit = std::atof(quota.c_str()) / period;
  }
  double quota = -1;
  double period = 0;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1_quota >> quota && v1_period >> period && quota > 0 && period > 0) limit = std::min(limit, quota / period);
  return limit;
}

// Rounds of short tasks follow each other closely; to sleep and to be woken takes longer than many of them. So a thread
// looks out for this long before it sleeps, and lets others have the processor meanwhile.
constexpr auto kLookOut = std::chrono::microseconds(100);

template <class Condition>
void look_out_for(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kLookOut;
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

std::size_t available_threads() {
  std::size_t n = std::max(1u, std::thread::hardware_concurrency());
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) n = static_cast<std::size_t>(std::max(1, CPU_COUNT(&mask)));
  const double limit = cgroup_cpus();
  if (limit < static_cast<double>(n)) n = static_cast<std::size_t>(std::max(1.0, std::ceil(limit)));
  return n;
}

std::size_t resolve_threads(std::size_t wanted) {
  return wanted == 0 ? available_threads() : wanted;
}

ThreadPool::ThreadPool(std::size_t n_threads, const Interrupt* interrupt) : interrupt_(interrupt) {
  threads_.reserve(n_threads);
  try {
    for (std::size_t worker = 1; worker < n_threads; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } catch (...) {
    // No room for one more: fewer threads give the same bits, only later.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::run(std::size_t n_tasks, const std::function<void(std::size_t, std::size_t)>& work) {
  if (threads_.empty() || n_tasks <= 1) {
    for (std::size_t task = 0; task < n_tasks; ++task) {
      if (interrupt_ != nullptr) interrupt_->throw_if_due();
      work(task, 0);
    }
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    n_tasks_ = n_tasks;
    next_task_ = 0;
    busy_ = 1;
    ++generation_;
  }
  wake_.notify_all();
  drain(0);
  if (--busy_ > 0) look_out_for([this] { return busy_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  work_ = nullptr;
  n_tasks_ = 0;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::serve(std::size_t worker) {
  std::size_t seen = 0;
  for (;;) {
    look_out_for([&] { return quit_ || generation_ != seen; });
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return quit_ || generation_ != seen; });
    if (quit_) return;
    seen = generation_;
    if (work_ == nullptr) continue;  // woke after the round had ended
    ++busy_;
    lock.unlock();
    drain(worker);
    lock.lock();
    if (--busy_ == 0) done_.notify_all();
  }
}

void ThreadPool::drain(std::size_t worker) {
  for (;;) {
    std::size_t task = 0;
    const std::function<void(std::size_t, std::size_t)>* work = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (failure_ || next_task_ >= n_tasks_) return;
      task = next_task_++;
      work = work_;
    }
    try {
      if (interrupt_ != nullptr) interrupt_->throw_if_due();
      (*work)(task, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
}

ThreadPool& calling_thread() {
  static ThreadPool pool(1);
  return pool;
}

}  // namespace dualdict
