// SPDX-License-Identifier: BSD-3-Clause
// What online learning carries from block to block, and the step from one to the next.
#pragma once

#include <cstddef>
#include <vector>

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

// One step with the samples of a block.
template <class T>
void online_step(OnlineState& state, const Samples<T>& samples, ThreadPool& pool);

// The model of a state with at least one block.
template <class T>
LearnResult online_result(const OnlineState& state, ThreadPool& pool);

}  // namespace dualdict
