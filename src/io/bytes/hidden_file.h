// SPDX-License-Identifier: BSD-3-Clause
// The small files that stand beside an output while it is made, and whether their maker still lives.
#pragma once

#include <string>

namespace dualdict {

// What a path leads to over its links, whether the file is there or not.
std::string resolve_links(const std::string& path);

// "FOLDER/.dualdict-HASH", HASH made of the target's name: it belongs to that target and is never too long.
std::string hidden_beside(const std::string& target);

// Whether the open file is still the one under this name; somebody may have removed it in between.
bool is_named(int descriptor, const std::string& path);

// Locks an open file for this process, until it is closed, however it ends. 0, or the error number: EWOULDBLOCK when
// another has it.
int lock_file(int descriptor);

// Removes the temporary files of the target that a killed process left: those that nobody has locked.
void remove_abandoned(const std::string& target) noexcept;

}  // namespace dualdict
