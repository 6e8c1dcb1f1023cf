// SPDX-License-Identifier: BSD-3-Clause
// What leaves the command: standard output and files.
#pragma once

#include <string>

namespace dualdict::cli {

// Writes all of it or throws Error(kWrite).
void write_stdout(const std::string& text);
// Throws Error(kWrite) unless a file can be made at `path`: found out before the work, not after it. "-" is allowed.
void require_writable(const std::string& path);
// The path as a shell word, for commands that are shown to be copied.
std::string shell_word(const std::string& path);

}  // namespace dualdict::cli
