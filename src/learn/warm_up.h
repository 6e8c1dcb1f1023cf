// SPDX-License-Identifier: BSD-3-Clause
// Before the first reported iteration D and C move after every few samples instead of after all of them. Their
// steps see sums that fade: what a sample has left there counts less with every sample that came after it.
#pragma once

#include <cstddef>

namespace dualdict {

struct WarmUpSchedule {
  std::size_t step_samples = 0;  // 0: the samples are too few, there is no warm-up
  std::size_t round_steps = 0;   // after so many steps E is compared with that of the round before
};
WarmUpSchedule warm_up_schedule(std::size_t n_samples, std::size_t n_atoms);

// Nonzeros per code as a share of K and of d.
struct CodeDensity {
  double of_atoms = 0;
  double of_features = 0;
};

// The share of the old sums that stays when n samples are added to the n_seen before them. The sums reach back over
// about n_seen / 120 samples times the number that it takes to use an atom once: an atom that few samples use needs
// many of them. They reach less far where codes fill the space of the samples: there codes make up for much of what D
// lacks, E is soft along D, and D has a long way to go.
double fading(std::size_t n_seen, std::size_t n, const CodeDensity& density);

// Sweeps over the codes of a sample that is seen for the first time, at most: D is far from done then.
inline constexpr std::size_t kFirstSweeps = 3;
// E is measured in one of so many steps, always the same of a round.
inline constexpr std::size_t kEnergyEvery = 4;
// The warm-up ends when a round lowers E by less than this, or after so many.
inline constexpr double kWarmUpChange = 2e-3;
inline constexpr std::size_t kWarmUpRounds = 8;
// D and C come out of the warm-up on the move: the iterations over all samples begin with the momentum (weight - 1) /
// (weight + 1/2), until one of them overshoots.
inline constexpr double kWeightAfterWarmUp = 20;

}  // namespace dualdict
