// SPDX-License-Identifier: BSD-3-Clause
#include "errors.h"

#include <algorithm>
#include <cstdio>

namespace dualdict::cli {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kInput:
      return 3;
    case ErrorKind::kNumerical:
      return 4;
    case ErrorKind::kWrite:
      return 5;
    case ErrorKind::kMemory:
      return 6;
    case ErrorKind::kRank:
      return 7;
  }
  return 4;
}

void print_error(const std::string& message) {
  std::string line = message;
  // A file name may hold a line break or an escape sequence; the message stays one harmless line.
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  std::fprintf(stderr, "dualdict: error: %s\n", line.c_str());
}

}  // namespace dualdict::cli
