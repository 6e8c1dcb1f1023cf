// SPDX-License-Identifier: BSD-3-Clause
// What online learning carries from block to block, and the step from one to the next.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "dualdict/learn.h"
#include "learn/samples.h"
#include "solvers/objective.h"

namespace dualdict {

// Numbers in double whatever the precision, so that one form of them can be stored.
struct OnlineState {
  LearnOptions options;
  PreprocessOptions preprocess;
  Objective objective;        // with the tau in use
  Matrix<double> dictionary;  // empty before the first block
  Matrix<double> dual;
  Moments moments;  // weighted sums over all samples
  std::size_t n_samples = 0;
  std::size_t n_updates = 0;
  double sum_norms = 0;       // of |x|, over all samples
  std::vector<double> usage;  // samples that used each atom
  Matrix<double> kept;        // a random choice of the samples, preprocessed
  std::size_t replaced_atoms = 0;
};

inline constexpr std::size_t kKeptSamples = 8000;

// Samples that one step takes: large blocks are cut, so that D and C move on while they are worked through. The step of
// C costs as much as coding some d samples.
std::size_t online_piece(std::size_t n_features);

// Throws Error(kUsage) for options that online learning cannot have.
void check_online(const LearnOptions& options, const PreprocessOptions& preprocess);

// total = share * total + part
void fade_and_add(double share, const Moments& part, Moments& total);

struct OnlineStepOptions {
  bool new_samples = true;  // they are counted, and some may be kept
  bool dual = true;         // C steps too
  // How the sums of the block join those of all; `share` is the weight that all keep by the rule of OnlineLearner.
  std::function<void(const Moments& block, double share, Moments& total)> add =
      [](const Moments& block, double share, Moments& total) { fade_and_add(share, block, total); };
};
struct OnlineStepReport {
  Energy energy;                  // of the block's codes with the new D and C
  double energy_after_codes = 0;  // with the old ones
  double nonzeros_per_code = 0;
  std::size_t replaced_atoms = 0;
};

// One step with the samples of a block.
template <class T>
OnlineStepReport online_step(OnlineState& state, const Samples<T>& samples, ThreadPool& pool,
                             const OnlineStepOptions& how = {});
// C for the sums as they are.
template <class T>
void online_dual_step(OnlineState& state);

// What the model says of where it came from.
template <class T>
struct OnlineOrigin {
  std::string name = "blocks";
  SampleShape shape;
  Outcome outcome = Outcome::kStopped;
  std::size_t n_passes = 1;
  double seconds = 0;
  Matrix<T> held_out;  // preprocessed samples to measure the encoders on; empty: some of those that were kept
  const std::atomic<bool>* interrupt = nullptr;
};

// The model of a state with at least one block.
template <class T>
LearnResult online_result(const OnlineState& state, ThreadPool& pool, const OnlineOrigin<T>& origin = {});

}  // namespace dualdict
