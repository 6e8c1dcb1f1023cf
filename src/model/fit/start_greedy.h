// SPDX-License-Identifier: BSD-3-Clause
// A hard encoder from a dictionary for greedy codes: V is the dictionary, W the ridge regression of its greedy codes on
// the samples, in standard coordinates. W = V' would answer one cause with many atoms that resemble each other.
#pragma once

#include <cstdint>

#include "core/thread_pool.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"

namespace dualdict {

// The threshold is not set.
HardState start_from_dictionary(const HardRows& rows, const Matrix<double>& dictionary, double nonzeros, bool positive,
                                std::uint64_t seed, ThreadPool& pool);

}  // namespace dualdict
