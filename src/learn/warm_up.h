// SPDX-License-Identifier: BSD-3-Clause
// Before the first reported iteration D and C move after every few thousand samples instead of after all of them. Their
// steps see sums that fade: what a sample has left there counts less with every sample that came after it.
#pragma once

#include <cstddef>

namespace dualdict {

struct WarmUpSchedule {
  std::size_t step_samples = 0;  // 0: the samples are too few, there is no warm-up
  std::size_t round_steps = 0;   // E is averaged and compared over so many steps
};
WarmUpSchedule warm_up_schedule(std::size_t n_samples, std::size_t n_atoms);

// The share of the old sums that stays when n samples are added to the n_seen before them. The sums reach back over
// about n_seen / 100 samples times the number that it takes to use an atom once: an atom that few samples use needs
// many of them.
double fading(std::size_t n_seen, std::size_t n, double nonzeros_share);

// The warm-up ends when a round lowers E by less than this, or after so many.
inline constexpr double kWarmUpChange = 2e-3;
inline constexpr std::size_t kWarmUpRounds = 8;
// How far D and C are led along their last change.
inline constexpr double kWarmUpMomentum = 0.9;
// D and C come out of the warm-up with that momentum, and the iterations over all samples go on with it: (weight - 1) /
// (weight + 1/2) is about the same. Until one of them overshoots.
inline constexpr double kWeightAfterWarmUp = 20;
// A lead is taken back when D and C before it were better by more than this share of E, even for the codes that were
// made with the lead. On centred patches that hardly happens; on digits, whose atoms overlap, E would rise otherwise.
inline constexpr double kWarmUpRegret = 3e-3;

}  // namespace dualdict
