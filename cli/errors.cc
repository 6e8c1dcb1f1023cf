// SPDX-License-Identifier: BSD-3-Clause
#include "errors.h"

#include "printable.h"

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
  say("dualdict: error: " + one_line(message) + "\n");
}

}  // namespace dualdict::cli
