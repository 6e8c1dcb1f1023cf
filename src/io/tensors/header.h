// SPDX-License-Identifier: BSD-3-Clause
// The header of a safetensors file, read in one pass that keeps nothing but what it is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/bytes/element.h"
#include "io/tensors/safetensors.h"

namespace dualdict {

inline constexpr const char* kMetadataKey = "__metadata__";

// A tensor without its bytes, and their place in the data. Half precision becomes float32, int64 float64.
struct TensorEntry {
  Tensor tensor;
  Scalar stored = Scalar::kFloat32;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct TensorHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorEntry> entries;  // in the order of their bytes
};

// Throws Error(kInput) unless a header may start with this character.
void require_header_start(const std::string& file, char start);

// Throws Error(kInput) naming the file, the tensor and the rule: also for more than 10,000 tensors, 1,000 metadata or 8
// dimensions, which nothing that is read here has.
TensorHeader parse_header(const std::string& file, const std::string& text);

}  // namespace dualdict
