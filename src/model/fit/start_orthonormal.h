// SPDX-License-Identifier: BSD-3-Clause
// A hard encoder that is its own decoder's transpose: orthonormal atoms. Principal components, and from there
// alternating steps on blocks, U = hard(P X) and P = the polar factor of U X', in standard coordinates.
#pragma once

#include "core/random.h"
#include "core/thread_pool.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"

namespace dualdict {

// W = V = the leading principal components; what atoms there are beyond them have a row of zeros in W, so that no code
// uses them, and a random sample in V. The threshold is not set. For positive codes every component stands twice, with
// both signs.
HardState start_principal(const HardRows& rows, std::size_t n_atoms, bool positive, Random random, ThreadPool& pool);

// For codes of both signs: the steps from there. The wanted count grows to `nonzeros` on the way: few nonzeros sort the
// leading atoms first.
void rotate_orthonormal(const HardRows& rows, double nonzeros, Random random, ThreadPool& pool, HardState& state);

}  // namespace dualdict
