// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>

#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

// Bytes that grow in place where the system can: pages are moved, not copied.
class GrowingBytes {
 public:
  // Room for `more` bytes at the end.
  std::byte* room(std::size_t more) {
    if (used_ + more > size_) {
      const std::size_t wanted = std::max(2 * size_, used_ + more);
      void* const moved = std::realloc(bytes_.get(), wanted);
      if (moved == nullptr) throw std::bad_alloc();
      static_cast<void>(bytes_.release());
      bytes_.reset(static_cast<std::byte*>(moved));
      size_ = wanted;
    }
    return bytes_.get() + used_;
  }
  void add(std::size_t n) { used_ += n; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), used_}; }
  std::shared_ptr<const void> owner() && { return std::shared_ptr<const std::byte>(std::move(bytes_)); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

std::shared_ptr<const ByteSource> read_stream(int descriptor, const std::string& name, const CheckStart& check) {
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  GrowingBytes read;
  bool checked = check == nullptr;
  for (;;) {
    const ssize_t got = ::read(descriptor, read.room(kChunk), kChunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      fail_input(name, "cannot read at offset " + std::to_string(read.bytes().size()) + ": " + reason(errno));
    read.add(static_cast<std::size_t>(got));
    if (!checked && (got == 0 || read.bytes().size() >= kStartBytes)) {
      check(name, read.bytes().first(std::min(read.bytes().size(), kStartBytes)));
      checked = true;
    }
    if (got == 0) break;
  }
  const std::span<const std::byte> bytes = read.bytes();
  return std::make_shared<const MemoryBytes>(name, std::move(read).owner(), bytes);
}

}  // namespace

FileReader::FileReader(const std::string& path) : ByteSource(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail_input(path, "cannot open: " + reason(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    ::close(descriptor_);
    fail_input(path, "cannot open: " + reason(error));
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    fail_input(path, "is a folder, not a file");
  }
  is_stream_ = !S_ISREG(status.st_mode);
  size_ = is_stream_ ? 0 : static_cast<std::uint64_t>(status.st_size);
}

FileReader::~FileReader() {
  ::close(descriptor_);
}

void FileReader::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_input(name(), "cannot read at offset " + std::to_string(offset) + ": " + reason(errno));
    if (got == 0)
      fail_input(name(), "ends at byte " + std::to_string(offset) + " where " + std::to_string(out.size()) +
                             " more bytes should be: the file is truncated");
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

std::shared_ptr<const ByteSource> FileReader::read_all(const CheckStart& check) const {
  return read_stream(descriptor_, name(), check);
}

std::shared_ptr<const ByteSource> open_bytes(const std::string& path, const CheckStart& check) {
  if (path == "-") return read_stream(STDIN_FILENO, "standard input", check);
  auto file = std::make_shared<const FileReader>(path);
  if (file->is_stream()) return file->read_all(check);
  return file;
}

}  // namespace dualdict
