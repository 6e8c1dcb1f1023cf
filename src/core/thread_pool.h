// SPDX-License-Identifier: BSD-3-Clause
// A small pool of threads that works through numbered tasks. Results must not depend on which worker runs a task.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/interrupt.h"
#include "dualdict/options.h"

namespace dualdict {

// Threads this process may use: the affinity mask and the cgroup's CPU limit, at least 1.
std::size_t available_threads();

class ThreadPool {
 public:
  // The calling thread is one of the workers: n_threads = 1 starts no thread. With an interrupt, which outlives the
  // pool, run() throws Interrupted between two tasks when it is due.
  explicit ThreadPool(std::size_t n_threads, const Interrupt* interrupt = nullptr);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const { return threads_.size() + 1; }

  // Calls work(task, worker) once for each task in [0, n_tasks), handed out in order as workers become free, and
  // returns when all are done; worker < size(). The first exception stops the handing out and is rethrown here.
  // Not reentrant, and for one caller at a time, unless the calling thread is the only worker.
  void run(std::size_t n_tasks, const std::function<void(std::size_t task, std::size_t worker)>& work);

 private:
  void serve(std::size_t worker);
  void drain(std::size_t worker);

  const Interrupt* interrupt_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(std::size_t, std::size_t)>* work_ = nullptr;
  std::size_t n_tasks_ = 0;
  std::size_t next_task_ = 0;
  std::atomic<std::size_t> busy_ = 0;
  std::atomic<std::size_t> generation_ = 0;
  std::atomic<bool> quit_ = false;
  std::exception_ptr failure_;
};

// A pool of the calling thread alone, for any caller.
ThreadPool& calling_thread();

}  // namespace dualdict
