// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process may still take.
#pragma once

#include <string>

namespace dualdict {

struct MemoryLimit {
  double bytes = 0;    // still free under it; never negative
  std::string source;  // what sets it, for messages: "the free memory", "the limit of the control group"
};

// The tightest of: the address-space and data limits (ulimit -v, -d), the control groups that this process is in, and
// the machine's available memory. `root` stands before /proc and /sys, for tests.
MemoryLimit available_memory(const std::string& root = "");

}  // namespace dualdict
