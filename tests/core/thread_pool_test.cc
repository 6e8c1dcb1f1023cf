// SPDX-License-Identifier: BSD-3-Clause
#include "core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

namespace dualdict {
namespace {

TEST(ThreadPool, RunsEveryTaskOnceOnAValidWorker) {
  for (std::size_t n_threads = 1; n_threads <= 8; ++n_threads) {
    ThreadPool pool(n_threads);
    ASSERT_EQ(pool.size(), n_threads);
    for (const std::size_t n_tasks : {0u, 1u, 2u, 7u, 64u, 1000u}) {
      std::vector<std::atomic<int>> runs(n_tasks);
      std::atomic<int> wrong_worker = 0;
      pool.run(n_tasks, [&](std::size_t task, std::size_t worker) {
        ++runs[task];
        if (worker >= n_threads) ++wrong_worker;
      });
      for (std::size_t i = 0; i < n_tasks; ++i) ASSERT_EQ(runs[i], 1) << "task " << i << ", threads " << n_threads;
      EXPECT_EQ(wrong_worker, 0);
    }
  }
}

TEST(ThreadPool, AWorkerRunsOneTaskAtATime) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> busy(4);
  std::atomic<int> overlaps = 0;
  pool.run(2000, [&](std::size_t, std::size_t worker) {
    if (++busy[worker] != 1) ++overlaps;
    --busy[worker];
  });
  EXPECT_EQ(overlaps, 0);
}

TEST(ThreadPool, SurvivesManyShortRounds) {
  for (const std::size_t n_threads : {2u, 5u, 8u}) {
    ThreadPool pool(n_threads);
    std::atomic<std::size_t> sum = 0;
    for (std::size_t round = 0; round < 2000; ++round)
      pool.run(1 + round % 5, [&](std::size_t task, std::size_t) { sum += task + 1; });
    EXPECT_EQ(sum, 2000u / 5 * (1 + 3 + 6 + 10 + 15));
  }
}

TEST(ThreadPool, AnExceptionReachesTheCallerAndThePoolStaysUsable) {
  for (std::size_t n_threads = 1; n_threads <= 8; ++n_threads) {
    ThreadPool pool(n_threads);
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(pool.run(50,
                            [&](std::size_t task, std::size_t) {
                              if (task == 17) throw std::runtime_error("seventeen");
                            }),
                   std::runtime_error);
      std::atomic<int> runs = 0;
      pool.run(50, [&](std::size_t, std::size_t) { ++runs; });
      EXPECT_EQ(runs, 50);
    }
  }
}

TEST(ThreadPool, StopsHandingOutTasksAfterAnException) {
  ThreadPool pool(1);
  int runs = 0;
  EXPECT_THROW(pool.run(100,
                        [&](std::size_t task, std::size_t) {
                          ++runs;
                          if (task == 3) throw std::logic_error("three");
                        }),
               std::logic_error);
  EXPECT_EQ(runs, 4);
}

TEST(ThreadPool, EndsBetweenTasksWhenInterrupted) {
  std::atomic<bool> wish = false;
  const Interrupt interrupt(&wish);
  ThreadPool one(1, &interrupt), three(3, &interrupt);
  int runs = 0;
  const auto count = [&](std::size_t task, std::size_t) {
    ++runs;
    if (task == 3) wish = true;
  };
  one.run(3, count);
  EXPECT_EQ(runs, 3);
  EXPECT_THROW(one.run(100, count), Interrupted);
  EXPECT_EQ(runs, 7);
  EXPECT_THROW(three.run(100, count), Interrupted);
  EXPECT_EQ(runs, 7);
}

TEST(ThreadPool, OfTheCallingThreadMayBeUsedInsideItself) {
  int runs = 0;
  calling_thread().run(3, [&](std::size_t, std::size_t) {
    calling_thread().run(4, [&](std::size_t, std::size_t worker) { runs += worker == 0 ? 1 : 100; });
  });
  EXPECT_EQ(runs, 12);
}

TEST(ThreadPool, ChoosesAtLeastOneThread) {
  EXPECT_GE(available_threads(), 1u);
  EXPECT_EQ(resolve_threads(0), available_threads());
  EXPECT_EQ(resolve_threads(3), 3u);
}

}  // namespace
}  // namespace dualdict
