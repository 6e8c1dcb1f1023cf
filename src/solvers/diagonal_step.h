// SPDX-License-Identifier: BSD-3-Clause
// The dictionary step of many atoms: from a block of samples with their codes, each atom moves by the sum of u r, r
// what its samples are left with, divided by its own curvature, a fading sum of u^2. Nothing couples atoms, so memory
// is that of D; all atoms move at once.
#pragma once

#include <cstddef>
#include <vector>

namespace dualdict {

// All that goes from block to block, as plain values.
struct DiagonalState {
  std::vector<double> curvature;  // of each atom
  double n_seen = 0;              // samples
};

class DiagonalStep {
 public:
  // Keeps the state by reference.
  explicit DiagonalStep(DiagonalState& state) : state_(state) {}

  // Before the moves of a block: what was summed fades, at first fast, since its codes were made with another D.
  // `window`: of how many blocks the sums are in the long run.
  void begin(std::size_t n_samples, double window);
  // row: the unit atom; direction: the sum of u r; squares: that of u^2. Different atoms at once on different threads.
  void move(std::size_t atom, const float* direction, double squares, float* row, std::size_t n_features);

  // Atoms that hardly any sample uses.
  std::vector<std::size_t> unused() const;
  // An atom that was replaced: as if used like the mean.
  void forget(std::size_t atom);

 private:
  double mean() const;
  DiagonalState& state_;
  double fading_ = 0;
};

}  // namespace dualdict
