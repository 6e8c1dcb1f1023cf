// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

std::shared_ptr<const ByteSource> read_stream(int descriptor, const std::string& name) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::vector<std::byte> bytes;
  std::size_t used = 0;
  for (;;) {
    if (bytes.size() - used < kChunk) bytes.resize(std::max(2 * bytes.size(), 2 * kChunk));
    const ssize_t got = ::read(descriptor, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_input(name, "cannot read at offset " + std::to_string(used) + ": " + reason(errno));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return make_memory_bytes(name, std::move(bytes));
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

std::shared_ptr<const ByteSource> FileReader::read_all() const {
  return read_stream(descriptor_, name());
}

std::shared_ptr<const ByteSource> open_bytes(const std::string& path) {
  if (path == "-") return read_stream(STDIN_FILENO, "standard input");
  auto file = std::make_shared<const FileReader>(path);
  if (file->is_stream()) return file->read_all();
  return file;
}

}  // namespace dualdict
