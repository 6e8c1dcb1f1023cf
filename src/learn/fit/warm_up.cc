// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/warm_up.h"

#include <algorithm>

#include "solvers/code_step.h"

namespace dualdict {

std::size_t step_samples(std::size_t n_atoms) {
  constexpr double kSamplesPerAtom = 2.5;
  constexpr std::size_t kMostSamples = 8192;  // with thousands of atoms a step would take a minute
  const auto wanted = std::min(kMostSamples, static_cast<std::size_t>(kSamplesPerAtom * static_cast<double>(n_atoms)));
  return (wanted + kBlockSamples - 1) / kBlockSamples * kBlockSamples;
}

WarmUpSchedule warm_up_schedule(std::size_t n_samples, std::size_t n_atoms) {
  constexpr std::size_t kFewestSteps = 4;
  constexpr std::size_t kMostSteps = 400;
  const std::size_t step = step_samples(n_atoms);
  if (n_samples < kFewestSteps * step) return {};
  return {step, std::min(kMostSteps, (n_samples + step - 1) / step)};
}

}  // namespace dualdict
