// SPDX-License-Identifier: BSD-3-Clause
// One target for each reader: any bytes give a valid result or an Error, and nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dualdict {

struct FuzzTarget {
  std::string_view name;  // also the folder of its seeds
  void (*run)(std::span<const std::byte> bytes);
};

std::span<const FuzzTarget> fuzz_targets();
// nullptr when there is none of that name.
const FuzzTarget* find_fuzz_target(std::string_view name);

}  // namespace dualdict
