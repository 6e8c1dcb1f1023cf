// SPDX-License-Identifier: BSD-3-Clause
// How learning grows from a small draw of the samples to all of them before the first reported iteration.
#pragma once

#include <cstddef>
#include <vector>

namespace dualdict {

// Sizes of the draws, growing, each well below n_samples; empty when the samples are few.
std::vector<std::size_t> warm_up_sizes(std::size_t n_samples, std::size_t n_atoms);

// Iterations on one draw: until E falls by less than this from one to the next, or so many.
inline constexpr double kWarmUpChange = 3e-3;
inline constexpr std::size_t kWarmUpIterations = 30;

}  // namespace dualdict
