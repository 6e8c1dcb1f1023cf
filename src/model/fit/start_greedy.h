// SPDX-License-Identifier: BSD-3-Clause
// A hard encoder from a dictionary for greedy codes: V is the dictionary, W the ridge regression of its greedy codes on
// the samples, in standard coordinates. W = V' would answer one cause with many atoms that resemble each other.
#pragma once

#include "core/random.h"
#include "core/thread_pool.h"
#include "model/fit/hard_rows.h"
#include "model/fit/hard_state.h"

namespace dualdict {

// A dictionary learned from random samples. Throws Interrupted between blocks when the pool's interrupt is due.
Matrix<double> greedy_dictionary_from_samples(const HardRows& rows, std::size_t n_atoms, double nonzeros, bool positive,
                                              Random random, ThreadPool& pool);

// The threshold is not set.
HardState start_from_dictionary(const HardRows& rows, const Matrix<double>& dictionary, double nonzeros, bool positive,
                                Random random, ThreadPool& pool);

}  // namespace dualdict
