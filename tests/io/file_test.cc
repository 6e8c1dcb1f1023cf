// SPDX-License-Identifier: BSD-3-Clause
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "dualdict/files.h"
#include "io/bytes/durable_file.h"
#include "io/bytes/file_reader.h"
#include "io/test_files.h"

namespace dualdict {
namespace {

TEST(FileReader, MissingFileIsNamedWithTheReason) {
  const std::string message = error_of(ErrorKind::kInput, [] { FileReader("/no/such/file.npy"); });
  EXPECT_EQ(message, "/no/such/file.npy: cannot open: No such file or directory");
}

TEST(FileReader, FileCutWhileItIsReadGivesAnErrorWithTheOffset) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x", std::string(100, 'a'));
  const FileReader reader(path);
  std::filesystem::resize_file(path, 40);
  std::vector<std::byte> out(20);
  reader.read(20, out);
  const std::string message = error_of(ErrorKind::kInput, [&] { reader.read(30, out); });
  expect_contains(message, path);
  expect_contains(message, "byte 40");
}

TEST(FileReader, FolderIsRefused) {
  const TemporaryFolder folder;
  expect_contains(error_of(ErrorKind::kInput, [&] { FileReader{folder.path()}; }), "folder");
}

TEST(OpenBytes, PipeIsReadToItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string content(3'000'000, 'z');
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
  const auto bytes = open_bytes(path);
  writer.join();
  ASSERT_EQ(bytes->size(), content.size());
  EXPECT_EQ(bytes->in_memory().back(), std::byte{'z'});
}

TEST(DurableFile, CommitReplacesTheFileAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  write_text_file(path, "new content");
  EXPECT_EQ(content_of(path), "new content");
  EXPECT_EQ(folder.n_files(), 1U);
  write_text_file(folder.path("fresh"), "");
  EXPECT_EQ(content_of(folder.path("fresh")), "");
  EXPECT_EQ(folder.n_files(), 2U);
}

TEST(DurableFile, WithoutCommitTheOldFileStaysAndTheTemporaryGoes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  {
    DurableFile file(path);
    append_text(file, std::string(1'000'000, 'x'));
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(folder.n_files(), 2U);
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.n_files(), 1U);
}

TEST(DurableFile, ManySmallAndLargePiecesArriveInOrder) {
  const TemporaryFolder folder;
  std::string expected;
  DurableFile file(folder.path("result"));
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string piece(i * i * 17 % 300'000, static_cast<char>('a' + i % 26));
    append_text(file, piece);
    expected += piece;
  }
  file.commit();
  EXPECT_EQ(content_of(folder.path("result")), expected);
}

TEST(DurableFile, ReservedRoomIsOnlyAHint) {
  const TemporaryFolder folder;
  const std::string path = folder.path("result");
  const std::uint64_t far_too_much = std::uint64_t{1} << 60;
  for (const std::uint64_t reserved : {std::uint64_t{0}, std::uint64_t{2} << 20, std::uint64_t{8} << 20, far_too_much})
    for (const std::size_t size : {std::size_t{3}, std::size_t{4} << 20}) {
      const std::string content(size, 'x');
      DurableFile file(path);
      file.reserve(reserved);
      append_text(file, content);
      file.commit();
      EXPECT_EQ(content_of(path), content);
    }
  EXPECT_EQ(folder.n_files(), 1U);
  DurableFile device("/dev/null");
  device.reserve(far_too_much);
  device.commit();
}

TEST(DurableFile, KeepsPermissionsAndFollowsLinks) {
  const TemporaryFolder folder;
  const std::string path = folder.write("real", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  std::filesystem::create_symlink("real", folder.path("link"));
  write_text_file(folder.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(content_of(path), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(DurableFile, MissingFolderIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("absent/result");
  const std::string message = error_of(ErrorKind::kWrite, [&] { write_text_file(path, "x"); });
  expect_contains(message, path);
  expect_contains(message, "No such file or directory");
}

TEST(DurableFile, FolderAsTargetIsRefused) {
  const TemporaryFolder folder;
  expect_contains(error_of(ErrorKind::kWrite, [&] { write_text_file(folder.path(), "x"); }), "Is a directory");
}

TEST(DurableFile, FullDeviceIsAWriteError) {
  const std::string message = error_of(ErrorKind::kWrite, [] { write_text_file("/dev/full", "x"); });
  EXPECT_EQ(message, "/dev/full: cannot write: No space left on device");
}

TEST(DurableFile, FailedWriteLeavesTheOldFileAndNoTemporary) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{4096, old_limit.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = error_of(ErrorKind::kWrite, [&] { write_text_file(path, std::string(1'000'000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  expect_contains(message, path);
  expect_contains(message, "File too large");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.n_files(), 1U);
}

TEST(DurableFile, UnwritableFolderLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  // Nothing is unwritable for the administrator, so be somebody else meanwhile.
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;
  if (is_root && ::seteuid(kNobody) != 0) GTEST_SKIP() << "cannot become another user";
  const std::string message = error_of(ErrorKind::kWrite, [&] { write_text_file(path, "new"); });
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
  EXPECT_EQ(message, path + ": cannot create a file in its folder: Permission denied");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.n_files(), 1U);
}

}  // namespace
}  // namespace dualdict
