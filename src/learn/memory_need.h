// SPDX-License-Identifier: BSD-3-Clause
// How much memory a fit takes, known before it begins.
#pragma once

#include <cstddef>

#include "dualdict/options.h"

namespace dualdict {

struct FitSize {
  std::size_t n_samples = 0;
  std::size_t n_features = 0;
  std::size_t n_atoms = 0;
  std::size_t n_threads = 1;
  DType dtype = DType::kFloat32;
  bool checkpoint = false;
  bool unseen = false;      // the modes are measured on other samples
  bool sums_pairs = false;  // of features, whatever the sizes: a stream with eta > 0
  bool many_atoms = false;  // with penalty l0: has_many_atoms()
};

// Bytes, beside what the source of the samples holds. An upper bound: dense codes, the larger of the loop's and the
// encoders' working space.
struct MemoryNeed {
  double samples = 0;
  double codes = 0;
  double work = 0;
  double total() const { return samples + codes + work; }
};
MemoryNeed memory_need(const FitSize& size);

// Throws Error(kMemory) when the need is above max_memory MiB or, when that is 0, above what this process may still
// have; the message says both, and what takes how much.
void require_memory(const MemoryNeed& need, std::size_t max_memory);

}  // namespace dualdict
