// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/files.h"
#include "io/bytes/hidden_file.h"

namespace dualdict {
namespace {

bool can_be_locked(const std::string& path) {
  struct stat status {};
  return path != "-" && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

OutputLock::OutputLock(const std::string& path) {
  constexpr int kMaxAttempts = 100;
  if (!can_be_locked(path)) return;
  // Beside what a link leads to, so that two names of one file share the lock.
  lock_path_ = hidden_beside(resolve_links(path)) + ".lock";
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const int descriptor = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor < 0 && errno != ELOOP && errno != EISDIR)
      return;  // the write itself will say what is wrong with the folder
    if (descriptor < 0 || !is_regular(descriptor)) {
      if (descriptor >= 0) ::close(descriptor);
      throw Error(ErrorKind::kWrite, path + ": its lock " + lock_path_ + " is no regular file: remove that first");
    }
    const int error = lock_file(descriptor);
    if (error == 0 && is_named(descriptor, lock_path_)) {
      descriptor_ = descriptor;
      return;
    }
    ::close(descriptor);
    if (error == EWOULDBLOCK)
      throw Error(ErrorKind::kWrite, path + ": another run is writing it: wait for its end, or name another file");
    if (error != 0 && error != EINTR) return;  // a file system without locks
  }
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : lock_path_(std::move(other.lock_path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  ::unlink(lock_path_.c_str());  // while it is still held, so that nobody's new lock is removed
  ::close(descriptor_);
}

}  // namespace dualdict
