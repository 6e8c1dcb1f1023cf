// SPDX-License-Identifier: BSD-3-Clause
// Locks on outputs, and what a killed process leaves.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/files.h"
#include "io/bytes/durable_file.h"
#include "io/bytes/hidden_file.h"
#include "io/temporary_folder.h"

namespace dualdict {
namespace {

// Runs `work` in a process of its own and returns how it ended.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(OutputLock, KeepsASecondOneOff) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m");
  const OutputLock lock(path);
  try {
    const OutputLock second(path);
    FAIL() << "a second lock was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kWrite);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
  EXPECT_NO_THROW(OutputLock(folder.path("other")));
}

TEST(OutputLock, KeepsAnotherProcessOff) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m");
  const OutputLock lock(path);
  const int status = status_of_child([&] {
    try {
      const OutputLock second(path);
    } catch (const Error&) {
      _exit(5);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(OutputLock, IsGoneWithItsOwnerAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m");
  {
    OutputLock lock(path);
    const OutputLock moved(std::move(lock));
    EXPECT_EQ(folder.n_files(), 1u);
  }
  EXPECT_EQ(folder.n_files(), 0u);
  status_of_child([&] {
    const OutputLock lock(path);
    kill(getpid(), SIGKILL);
  });
  EXPECT_EQ(folder.n_files(), 1u) << "the killed process left its lock file";
  EXPECT_NO_THROW(OutputLock{path});
  EXPECT_EQ(folder.n_files(), 0u);
}

TEST(OutputLock, IsSharedByTheNamesOfOneFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m", "model");
  std::filesystem::create_symlink(path, folder.path("link"));
  const OutputLock lock(path);
  EXPECT_THROW(OutputLock(folder.path("link")), Error);
  EXPECT_THROW(OutputLock(folder.path() + "/./m"), Error);
}

TEST(OutputLock, LeavesDevicesAlone) {
  const OutputLock first("/dev/null");
  EXPECT_NO_THROW(OutputLock("/dev/null"));
  const OutputLock out("-");
  EXPECT_NO_THROW(OutputLock("-"));
}

TEST(DurableFile, RemovesWhatAKilledSaveLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m");
  status_of_child([&] {
    DurableFile file(path);
    kill(getpid(), SIGKILL);
  });
  EXPECT_EQ(folder.n_files(), 1u);
  write_text_file(folder.path("other"), "x");
  EXPECT_EQ(folder.n_files(), 2u) << "the temporary file of another target is not touched";
  write_text_file(path, "model");
  EXPECT_EQ(folder.n_files(), 2u);
}

TEST(DurableFile, LeavesTheTemporaryFileOfALivingSaveAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m");
  DurableFile slow(path);
  write_text_file(path, "quick");
  slow.append(std::as_bytes(std::span<const char>("slow", 4)));
  slow.commit();
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
  EXPECT_EQ(folder.n_files(), 1u);
}

TEST(DurableFile, SavesUnderTheLongestName) {
  const TemporaryFolder folder;
  const std::string path = folder.path(std::string(255, 'm'));
  const OutputLock lock(path);
  EXPECT_NO_THROW(write_text_file(path, "model"));
  EXPECT_EQ(std::filesystem::file_size(path), 5u);
}

}  // namespace
}  // namespace dualdict
