// SPDX-License-Identifier: BSD-3-Clause
#include "io/hidden_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/hash.h"

namespace dualdict {
namespace {

namespace fs = std::filesystem;

void remove_if_abandoned(const std::string& path) noexcept {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  if (lock_file(descriptor) == 0 && is_named(descriptor, path)) ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

std::string hidden_beside(const std::string& target) {
  constexpr std::size_t kDigits = 12;
  const fs::path path(target);
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  Hasher hasher;
  hasher.add_field(path.filename().string());
  const std::string digest = hasher.digest();
  return (folder / (".dualdict-" + digest.substr(digest.size() - kDigits))).string();
}

bool is_named(int descriptor, const std::string& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::lstat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

int lock_file(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

void remove_abandoned(const std::string& target) noexcept {
  try {
    const fs::path prefix(hidden_beside(target));
    std::error_code error;
    for (fs::directory_iterator file(prefix.parent_path(), error), end; !error && file != end; file.increment(error)) {
      const std::string name = file->path().filename().string();
      if (name.starts_with(prefix.filename().string() + "-") && name.ends_with(".tmp"))
        remove_if_abandoned(file->path().string());
    }
  } catch (...) {  // tidying up must not keep a result from being saved
    return;
  }
}

}  // namespace dualdict
