// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/durable_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/files.h"
#include "io/bytes/hidden_file.h"

namespace dualdict {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 17;

[[noreturn]] void fail_write(const std::string& path, const std::string& step, int error) {
  throw Error(ErrorKind::kWrite, path + ": " + step + ": " + std::generic_category().message(error));
}

// Writes everything; 0 or the error number.
int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

// Some file systems cannot flush a folder and say EINVAL: there is nothing more to do there.
int sync_folder(int folder) {
  return ::fsync(folder) == 0 || errno == EINVAL ? 0 : errno;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class StandardOutput final : public ByteSink {
 public:
  void append(std::span<const std::byte> bytes) override {
    const int error = write_all(STDOUT_FILENO, bytes);
    if (error != 0) fail_write("standard output", "cannot write", error);
  }
  void commit() override {}
};

}  // namespace

std::unique_ptr<ByteSink> open_standard_output() {
  return std::make_unique<StandardOutput>();
}

DurableFile::DurableFile(const std::string& path) : path_(path), target_(path) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail("cannot write", EISDIR);
  if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail("cannot write", errno);
  buffer_.reserve(kBufferSize);
  if (exists && !S_ISREG(old.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot open", errno);
    return;
  }
  target_ = resolve_links(path);
  open_temporary();
  if (exists && ::fchmod(descriptor_, old.st_mode & 07777) != 0) fail("cannot set permissions", errno);
}

DurableFile::~DurableFile() {
  discard();
}

void DurableFile::open_temporary() {
  constexpr int kMaxAttempts = 10000;
  remove_abandoned(target_);
  const std::string prefix = hidden_beside(target_) + "-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::string name = prefix + std::to_string(attempt) + ".tmp";
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
    if (descriptor_ >= 0 && lock_temporary(std::move(name))) return;
  }
  fail("cannot create a file in its folder", errno);
}

// False when another process took the new file for an abandoned one before it was locked. The name is moved, not
// copied: a copy that finds no memory would leave the file behind.
bool DurableFile::lock_temporary(std::string&& name) {
  const int error = lock_file(descriptor_);
  if (error == EWOULDBLOCK || !is_named(descriptor_, name)) {
    ::close(std::exchange(descriptor_, -1));
    errno = EAGAIN;
    return false;
  }
  temporary_ = std::move(name);
  // Closing the file must be able to fail before the rename; a second descriptor keeps the lock.
  if (error == 0) lock_ = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  return true;
}

void DurableFile::reserve(std::uint64_t bytes) {
  constexpr std::uint64_t kWorthwhile = std::uint64_t{1} << 20;
  struct statfs disk {};
  if (temporary_.empty() || bytes < kWorthwhile || ::fstatfs(descriptor_, &disk) != 0) return;
  // Btrfs compresses nothing that has its place already, and a disk must not be filled to learn that it is too small.
  const auto free_bytes = static_cast<std::uint64_t>(disk.f_bavail) * static_cast<std::uint64_t>(disk.f_bsize);
  if (disk.f_type == BTRFS_SUPER_MAGIC || bytes > free_bytes) return;
  // The size stays what was written. Only a hint: many file systems cannot do it, and trouble shows when writing.
  ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
}

void DurableFile::append(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBufferSize) flush();
  if (bytes.size() >= kBufferSize) {
    write_out(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void DurableFile::write_out(std::span<const std::byte> bytes) {
  const int error = write_all(descriptor_, bytes);
  if (error != 0) fail("cannot write", error);
  // A large file goes to the disk as it grows, so that the flush at the end has little left to do. Only a hint.
  constexpr std::size_t kStartWriting = std::size_t{4} << 20;
  unsent_ += bytes.size();
  if (unsent_ >= kStartWriting) {
    ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
    unsent_ = 0;
  }
}

void DurableFile::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void DurableFile::commit() {
  flush();
  if (temporary_.empty()) {
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail("cannot close", errno);
    return;
  }
  if (::fsync(descriptor_) != 0) fail("cannot flush to the disk", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot close", errno);
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail("cannot open its folder", errno);
  try {
    take_place(folder);
  } catch (...) {
    ::close(folder);
    throw;
  }
  ::close(folder);
}

// Swapping the two names, where the file system can, keeps the old file until the folder is flushed: should that fail,
// swapping them back restores it.
void DurableFile::take_place(int folder) {
  const char* from = temporary_.c_str();
  const char* to = target_.c_str();
  const bool swapped = ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0;
  const bool created = !swapped && errno == ENOENT;
  if (!swapped && std::rename(from, to) != 0) fail("cannot rename the finished file", errno);
  const int error = sync_folder(folder);
  if (error != 0) {
    if (swapped) ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE);
    if (created) ::unlink(to);
    fail("cannot flush its folder to the disk", error);
  }
  if (swapped) ::unlink(from);
  temporary_.clear();
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

void DurableFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

void DurableFile::fail(const char* step, int error) {
  discard();
  fail_write(path_, step, error);
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  DurableFile file(path);
  file.append(bytes);
  file.commit();
}

void write_text_file(const std::string& path, const std::string& text) {
  write_file(path, std::as_bytes(std::span<const char>(text)));
}

}  // namespace dualdict
