// SPDX-License-Identifier: BSD-3-Clause
// What leaves the command: standard output and files.
#pragma once

#include <string>
#include <vector>

namespace dualdict::cli {

// Gives closed standard streams a place that can be neither read nor written, so that no file that is opened takes it.
void occupy_standard_streams();
// Throws Error(kWrite) when standard output is closed: found out before the work, not after it.
void require_stdout();
// Writes all of it or throws Error(kWrite).
void write_stdout(const std::string& text);
// Throws Error(kWrite) unless a file can be made at `path`: found out before the work, not after it. "-" is allowed.
void require_writable(const std::string& path);
// Throws Error(kUsage) when the ending of `path` belongs to another format than the one that is written, "npy" say;
// `fix` says what to do. Endings of no format are allowed.
void require_ending(const std::string& option, const std::string& path, const std::string& format,
                    const std::string& fix = "");
// Throws Error(kUsage) when the output `path` of `option` is one of the files that are read: it would be lost.
void require_no_input(const std::string& option, const std::string& path, const std::vector<std::string>& inputs);
// Throws Error(kUsage) when `path` names the same file as another output of the command.
void require_other_file(const std::string& option, const std::string& path, const std::vector<std::string>& others);
// The path as a shell word, for commands that are shown to be copied.
std::string shell_word(const std::string& path);

}  // namespace dualdict::cli
