// SPDX-License-Identifier: BSD-3-Clause
#include "learn/warm_up.h"

#include <algorithm>

#include "solvers/code_step.h"

namespace dualdict {

std::vector<std::size_t> warm_up_sizes(std::size_t n_samples, std::size_t n_atoms) {
  constexpr std::size_t kSamplesPerAtom = 10;
  constexpr std::size_t kGrowth = 4;
  std::vector<std::size_t> sizes;
  const std::size_t first = std::max<std::size_t>(kSamplesPerAtom * n_atoms, 4 * kBlockSamples);
  for (std::size_t size = first; size * kGrowth / 2 <= n_samples; size *= kGrowth)
    sizes.push_back(size / kBlockSamples * kBlockSamples);
  return sizes;
}

}  // namespace dualdict
