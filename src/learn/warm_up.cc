// SPDX-License-Identifier: BSD-3-Clause
#include "learn/warm_up.h"

#include <algorithm>
#include <cmath>

#include "solvers/code_step.h"

namespace dualdict {

WarmUpSchedule warm_up_schedule(std::size_t n_samples, std::size_t n_atoms) {
  constexpr double kSamplesPerAtom = 2.5;
  constexpr std::size_t kMostSamples = 8192;  // with thousands of atoms a step would take a minute
  constexpr std::size_t kFewestSteps = 4;
  constexpr std::size_t kMostSteps = 400;
  const auto wanted = std::min(kMostSamples, static_cast<std::size_t>(kSamplesPerAtom * static_cast<double>(n_atoms)));
  const std::size_t step = (wanted + kBlockSamples - 1) / kBlockSamples * kBlockSamples;
  if (n_samples < kFewestSteps * step) return {};
  return {step, std::min(kMostSteps, (n_samples + step - 1) / step)};
}

double fading(std::size_t n_seen, std::size_t n, const CodeDensity& density) {
  constexpr double kUses = 120;
  constexpr double kSlowest = 4;
  constexpr double kSoftest = 0.2;
  const double before = static_cast<double>(n_seen);
  const double power = kUses * density.of_atoms / std::max(kSoftest, 1 - density.of_features);
  return std::pow(before / (before + static_cast<double>(n)), std::max(power, kSlowest));
}

}  // namespace dualdict
