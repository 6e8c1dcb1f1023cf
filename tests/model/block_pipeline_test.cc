// SPDX-License-Identifier: BSD-3-Clause
#include "model/block_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace dualdict {
namespace {

constexpr std::size_t kBlocks = 200;

// What a slot held when it was written; the steps fail at the blocks they are told to.
struct Recorder {
  explicit Recorder(std::size_t n_threads) : slots(n_pipeline_slots(n_threads)) {}

  PipelineSteps steps() {
    return {[this](std::size_t block, std::size_t slot) {
              {
                const std::lock_guard lock(mutex);
                threads.insert(std::this_thread::get_id());
                begun.push_back(block);
              }
              if (fail_making.count(block) > 0) throw std::runtime_error("make " + std::to_string(block));
              if (block % 7 == 3) std::this_thread::yield();
              slots.at(slot) = block;
            },
            [this](std::size_t block, std::size_t slot) {
              EXPECT_FALSE(writing.exchange(true)) << "two blocks are written at once";
              if (block == fail_writing) throw std::runtime_error("write " + std::to_string(block));
              written.push_back(slots.at(slot));
              writing = false;
            }};
  }

  std::vector<std::size_t> slots, begun, written;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<std::size_t> fail_making;
  std::size_t fail_writing = kBlocks;
  std::atomic<bool> writing = false;
};

std::string failure_of(Recorder& recorder, std::size_t n_threads) {
  try {
    run_pipeline(kBlocks, n_threads, recorder.steps());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(BlockPipeline, EveryBlockIsWrittenOnceInOrder) {
  std::vector<std::size_t> expected(kBlocks);
  std::iota(expected.begin(), expected.end(), 0U);
  for (const std::size_t n_threads : {1U, 2U, 3U, 8U}) {
    Recorder recorder(n_threads);
    run_pipeline(kBlocks, n_threads, recorder.steps());
    EXPECT_EQ(recorder.written, expected) << n_threads;
  }
}

TEST(BlockPipeline, OneThreadIsTheCallers) {
  Recorder recorder(1);
  run_pipeline(kBlocks, 1, recorder.steps());
  EXPECT_EQ(recorder.threads, std::set<std::thread::id>{std::this_thread::get_id()});
  EXPECT_EQ(n_pipeline_slots(1), 1U);
}

TEST(BlockPipeline, NoBlockMeansNoStep) {
  Recorder recorder(2);
  run_pipeline(0, 2, recorder.steps());
  EXPECT_TRUE(recorder.begun.empty());
}

// The threads wait for each other inside the step: with one fewer the test would not end.
TEST(BlockPipeline, BlocksAreMadeAtOnceByAllThreads) {
  constexpr std::size_t kThreads = 3;
  std::atomic<std::size_t> arrived = 0;
  const auto meet = [&](std::size_t, std::size_t) {
    ++arrived;
    while (arrived < kThreads) std::this_thread::yield();
  };
  run_pipeline(kThreads, kThreads, {meet, [](std::size_t, std::size_t) {}});
  EXPECT_EQ(arrived, kThreads);
}

TEST(BlockPipeline, TheFailureOfTheLowestBlockReachesTheCaller) {
  for (const std::size_t n_threads : {1U, 2U, 8U}) {
    Recorder recorder(n_threads);
    recorder.fail_making = {50, 51, 52, 53};
    EXPECT_EQ(failure_of(recorder, n_threads), "make 50") << n_threads;
    EXPECT_LE(recorder.written.size(), 50U);
    // Blocks that were begun while the 50th was being made fill the slots at most.
    EXPECT_LE(*std::max_element(recorder.begun.begin(), recorder.begun.end()), 50 + n_pipeline_slots(n_threads));
  }
}

TEST(BlockPipeline, AFailedWriteReachesTheCallerAndEndsTheWriting) {
  for (const std::size_t n_threads : {1U, 2U, 8U}) {
    Recorder recorder(n_threads);
    recorder.fail_writing = 20;
    EXPECT_EQ(failure_of(recorder, n_threads), "write 20") << n_threads;
    EXPECT_EQ(recorder.written.size(), 20U);
  }
}

}  // namespace
}  // namespace dualdict
