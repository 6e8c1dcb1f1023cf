// SPDX-License-Identifier: BSD-3-Clause
#include "learn/warm_up.h"

#include <algorithm>
#include <cmath>

#include "solvers/code_step.h"

namespace dualdict {

WarmUpSchedule warm_up_schedule(std::size_t n_samples, std::size_t n_atoms) {
  constexpr std::size_t kSamplesPerAtom = 10;
  constexpr std::size_t kMostSamples = 8192;  // with thousands of atoms a step would take a minute
  constexpr std::size_t kFewestSteps = 4;
  constexpr std::size_t kMostSteps = 100;
  const std::size_t wanted = std::clamp<std::size_t>(kSamplesPerAtom * n_atoms, 4 * kBlockSamples, kMostSamples);
  const std::size_t step = (wanted + kBlockSamples - 1) / kBlockSamples * kBlockSamples;
  if (n_samples < kFewestSteps * step) return {};
  return {step, std::min(kMostSteps, (n_samples + step - 1) / step)};
}

double fading(std::size_t n_seen, std::size_t n, double nonzeros_share) {
  constexpr double kUses = 100;
  constexpr double kSlowest = 2;
  constexpr double kFastest = 20;
  const double before = static_cast<double>(n_seen);
  return std::pow(before / (before + static_cast<double>(n)), std::clamp(kUses * nonzeros_share, kSlowest, kFastest));
}

}  // namespace dualdict
