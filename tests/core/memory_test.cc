// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory.h"

#include <gtest/gtest.h>

#include "io/temporary_folder.h"

namespace dualdict {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

TEST(AvailableMemory, IsSomethingOnThisMachine) {
  const MemoryLimit limit = available_memory();
  EXPECT_GT(limit.bytes, kMebibyte);
  EXPECT_FALSE(limit.source.empty());
}

TEST(AvailableMemory, IsTheFreeMemoryWithoutTighterLimits) {
  const TemporaryFolder root;
  root.write("proc/meminfo", "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable:    2048 kB\n");
  const MemoryLimit limit = available_memory(root.path());
  EXPECT_EQ(limit.bytes, 2 * kMebibyte);
  EXPECT_EQ(limit.source, "the free memory");
}

TEST(AvailableMemory, ObeysEveryGroupAboveTheProcess) {
  const TemporaryFolder root;
  root.write("proc/meminfo", "MemAvailable: 1048576 kB\n");
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("sys/fs/cgroup/a/b/memory.max", "max\n");
  root.write("sys/fs/cgroup/a/b/memory.current", "5\n");
  root.write("sys/fs/cgroup/a/memory.max", std::to_string(100 * 1024 * 1024));
  root.write("sys/fs/cgroup/a/memory.current", std::to_string(60 * 1024 * 1024));
  EXPECT_EQ(available_memory(root.path()).bytes, 40 * kMebibyte);
  EXPECT_EQ(available_memory(root.path()).source, "the limit of the control group");
  // Cached files are given up when memory is needed.
  root.write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 10485760\nactive_file 10485760\n");
  EXPECT_EQ(available_memory(root.path()).bytes, 60 * kMebibyte);
}

TEST(AvailableMemory, FindsTheGroupOfAContainerAtTheMount) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/outside/of/the/container\n");
  root.write("sys/fs/cgroup/memory.max", std::to_string(8 * 1024 * 1024));
  root.write("sys/fs/cgroup/memory.current", std::to_string(9 * 1024 * 1024));
  EXPECT_EQ(available_memory(root.path()).bytes, 0) << "never below nothing";
  const TemporaryFolder old;
  old.write("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(3 * 1024 * 1024));
  old.write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(1024 * 1024));
  EXPECT_EQ(available_memory(old.path()).bytes, 2 * kMebibyte);
}

TEST(AvailableMemory, IsWithoutLimitWhereNothingIsKnown) {
  const TemporaryFolder root;
  EXPECT_EQ(available_memory(root.path()).source, "no limit");
}

}  // namespace
}  // namespace dualdict
