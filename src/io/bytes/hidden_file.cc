// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/hidden_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "core/hash.h"

namespace dualdict {
namespace {

namespace fs = std::filesystem;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

void remove_if_abandoned(const std::string& path) noexcept {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  if (lock_file(descriptor) == 0 && is_named(descriptor, path)) ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

std::string resolve_links(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  fs::path target(path);
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  const fs::path folder = fs::canonical(target.parent_path().empty() ? fs::path(".") : target.parent_path(), error);
  return error ? target.string() : (folder / target.filename()).string();
}

std::string hidden_beside(const std::string& target) {
  constexpr std::size_t kDigits = 12;
  const fs::path path(target);
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  Hasher hasher;
  hasher.add_field(path.filename().string());
  const std::string digest = hasher.digest();
  std::string name = ".dualdict-";
  name.append(digest, digest.size() - kDigits);
  return (folder / name).string();
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
    const std::string folder = prefix.parent_path().string();
    const std::string start = prefix.filename().string() + "-";
    // The standard library's iterator ends the process when it finds no memory.
    const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
    while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) {
      const std::string_view name(entry->d_name);
      if (name.starts_with(start) && name.ends_with(".tmp")) remove_if_abandoned(folder + "/" + std::string(name));
    }
  } catch (...) {  // tidying up must not keep a result from being saved
    return;
  }
}

}  // namespace dualdict
