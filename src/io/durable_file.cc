// SPDX-License-Identifier: BSD-3-Clause
#include "io/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "dualdict/error.h"

namespace dualdict {
namespace {

[[noreturn]] void throw_write(const std::string& path, const char* what, int code) {
  throw Error(ErrorKind::kWrite, path + ": " + what + ": " + std::strerror(code));
}

bool write_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return ::fsync(fd) == 0;
}

}  // namespace

void write_file(const std::string& path, const void* bytes, std::size_t size) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) throw_write(path, "a temporary file beside it cannot be made", errno);
  bool ok = ::fchmod(fd, 0644) == 0 && write_all(fd, static_cast<const char*>(bytes), size);
  int code = errno;
  if (::close(fd) != 0 && ok) {
    ok = false;
    code = errno;
  }
  if (ok && std::rename(temporary.c_str(), path.c_str()) != 0) {
    ok = false;
    code = errno;
  }
  if (!ok) {
    ::unlink(temporary.c_str());
    throw_write(path, "cannot be written", code);
  }
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const int folder_fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd >= 0) {
    ::fsync(folder_fd);
    ::close(folder_fd);
  }
}

}  // namespace dualdict
