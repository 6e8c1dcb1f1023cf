// SPDX-License-Identifier: BSD-3-Clause
#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "dualdict/error.h"
#include "printable.h"

namespace dualdict::cli {

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

void require_stdout() {
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return;
  throw Error(ErrorKind::kWrite, "standard output: cannot be written: it is closed");
}

void write_stdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw Error(ErrorKind::kWrite, std::string("standard output: cannot be written: ") + std::strerror(errno));
}

void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") return;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kWrite, path + ": cannot be written: " + why);
  };
  if (path.empty()) refuse("the name is empty");
  std::error_code error;
  if (fs::is_directory(path, error)) refuse("it is a folder; name a file");
  fs::path target(path);  // that of a link, which need not be there yet
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  fs::path folder = target.parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::exists(folder, error)) refuse("the folder " + folder.string() + " does not exist; make it first");
  if (!fs::is_directory(folder, error)) refuse(folder.string() + " is not a folder");
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse("the folder " + folder.string() + " is not writable");
  // It is flushed at the end, and for that it must be opened.
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) refuse("the folder " + folder.string() + " cannot be opened: " + std::strerror(errno));
  close(opened);
}

void require_ending(const std::string& option, const std::string& path, const std::string& format,
                    const std::string& fix) {
  constexpr std::array kFormats = {"npy", "npz",  "safetensors", "png",     "html", "csv", "tsv",  "txt",
                                   "mat", "json", "h5",          "parquet", "pkl",  "jpg", "jpeg", "xlsx"};
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending.empty() || ending == "." + format) return;
  if (std::none_of(kFormats.begin(), kFormats.end(),
                   [&](const char* other) { return ending == std::string(".") + other; }))
    return;
  throw Error(ErrorKind::kUsage, option + ": " + path + " is not allowed: what is written is " + format + ", not " +
                                     ending.substr(1) + "; " + (fix.empty() ? "name it ." + format : fix));
}

void require_no_input(const std::string& option, const std::string& path, const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                    [&](const std::string& input) { return fs::equivalent(path, input, error); });
  if (is_input)
    throw Error(ErrorKind::kUsage, option + ": " + path + " is not allowed: it is also an input, which would be lost");
}

void require_other_file(const std::string& option, const std::string& path, const std::vector<std::string>& others) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return;
  const fs::path mine = fs::weakly_canonical(path, error);
  const bool taken = std::any_of(others.begin(), others.end(),
                                 [&](const std::string& other) { return fs::weakly_canonical(other, error) == mine; });
  if (taken)
    throw Error(ErrorKind::kUsage,
                option + ": " + path + " is not allowed: another output has this name; name another");
}

std::string shell_word(const std::string& path) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
  if (!path.empty() && path.find_first_not_of(plain) == std::string::npos) return path;
  if (one_line(path) != path) {  // in the shell's own words for bytes
    std::string escaped;
    for (const char c : path) escaped += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return "$'" + one_line(escaped) + "'";
  }
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace dualdict::cli
