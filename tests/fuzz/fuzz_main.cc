// SPDX-License-Identifier: BSD-3-Clause
// A libFuzzer program for the reader named by DUALDICT_FUZZ_TARGET.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dualdict::FuzzTarget* const target = [] {
    const char* name = std::getenv("DUALDICT_FUZZ_TARGET");
    const dualdict::FuzzTarget* found = dualdict::find_fuzz_target(name == nullptr ? "" : name);
    if (found == nullptr) {
      std::fprintf(stderr, "DUALDICT_FUZZ_TARGET must be one of:");
      for (const dualdict::FuzzTarget& one : dualdict::fuzz_targets())
        std::fprintf(stderr, " %s", std::string(one.name).c_str());
      std::fprintf(stderr, "\n");
      std::exit(2);
    }
    return found;
  }();
  target->run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
