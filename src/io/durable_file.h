// SPDX-License-Identifier: BSD-3-Clause
// Whole files or nothing.
#pragma once

#include <cstddef>
#include <string>

namespace dualdict {

// Writes a temporary file in the same folder, flushes it to the disk, renames it to `path` and flushes the folder.
// Throws Error(kWrite) that names the file; what was at `path` before then stays.
void write_file(const std::string& path, const void* bytes, std::size_t size);

}  // namespace dualdict
