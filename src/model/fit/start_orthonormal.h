// SPDX-License-Identifier: BSD-3-Clause
// A hard encoder that is its own decoder's transpose: orthonormal atoms. Principal components, and from there
// alternating steps on blocks, U = hard(P X) and P = the polar factor of U X', in standard coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/thread_pool.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"

namespace dualdict {

// W = V = the leading principal components; what atoms there are beyond them have a row of zeros in W, so that no code
// uses them, and a random sample in V. The threshold is not set. For positive codes every component stands twice, with
// both signs.
HardState start_principal(const HardRows& rows, std::size_t n_atoms, bool positive, std::uint64_t seed,
                          ThreadPool& pool);

// For codes of both signs: the steps from there.
struct RotationState {
  std::size_t step = 0;  // done
  Matrix<double> sums;   // U X', fading
  Matrix<float> span;    // the leading components
};

class Rotation {
 public:
  // Keeps rows and pool by reference. `start` is that of start_principal.
  Rotation(const HardRows& rows, double nonzeros, std::uint64_t seed, ThreadPool& pool);
  ~Rotation();

  // A step; `start` itself is moved. The wanted count grows to `nonzeros` on the way: few nonzeros sort the leading
  // atoms first. False: there are no more.
  bool step(RotationState& state, HardState& start);

 private:
  class Block;
  const HardRows& rows_;
  double nonzeros_;
  std::uint64_t seed_;
  ThreadPool& pool_;
  std::unique_ptr<Block> block_;
};

}  // namespace dualdict
