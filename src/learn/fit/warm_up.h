// SPDX-License-Identifier: BSD-3-Clause
// Before the first reported iteration D and C move after every few samples instead of after all of them, as they do in
// a stream. Their steps see sums that fade (fit/sums.h).
#pragma once

#include <cstddef>

namespace dualdict {

// After how many samples D moves: whole blocks, some samples per atom.
std::size_t step_samples(std::size_t n_atoms);

struct WarmUpSchedule {
  std::size_t step_samples = 0;  // 0: the samples are too few, there is no warm-up
  std::size_t round_steps = 0;   // after so many steps E is compared with that of the round before
};
WarmUpSchedule warm_up_schedule(std::size_t n_samples, std::size_t n_atoms);

// E is measured in one of so many steps, always the same of a round.
inline constexpr std::size_t kEnergyEvery = 4;
// The warm-up ends when a round lowers E by less than this, or after so many.
inline constexpr double kWarmUpChange = 2e-3;
inline constexpr std::size_t kWarmUpRounds = 8;
// A search for tau need not wait for a whole round.
inline constexpr std::size_t kTauSamples = 16384;
// D and C come out of the warm-up on the move: the iterations over all samples begin with the momentum (weight - 1) /
// (weight + 1/2), until one of them overshoots.
inline constexpr double kWeightAfterWarmUp = 20;

}  // namespace dualdict
