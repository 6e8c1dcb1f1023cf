// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "dualdict/version.h"

int main() {
  std::puts("dualdict " DUALDICT_VERSION);
  return 0;
}
