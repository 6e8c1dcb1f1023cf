// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.h"

int main(int argc, char** argv) {
  return dualdict::cli::run_command_line(argc, argv);
}
