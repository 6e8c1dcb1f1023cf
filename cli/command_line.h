// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dualdict::cli {

// Parses the arguments, runs the command and returns the exit code. Throws nothing.
int run_command_line(int argc, const char* const* argv);

}  // namespace dualdict::cli
