// SPDX-License-Identifier: BSD-3-Clause
// Errors as the user sees them: one line on stderr and an exit code.
#pragma once

#include <string>

#include "dualdict/error.h"

namespace dualdict::cli {

// 2 usage, 3 input, 4 numerical, 5 write, 6 memory, 7 a rank was lost.
int exit_code(ErrorKind kind);
// "dualdict: error: MESSAGE", always one line.
void print_error(const std::string& message);

}  // namespace dualdict::cli
