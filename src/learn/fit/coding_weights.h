// SPDX-License-Identifier: BSD-3-Clause
// The weights with which codes are made after learning, where they are others than those of learning.
#pragma once

#include <cstddef>

#include "core/watched_pool.h"
#include "dualdict/options.h"
#include "learn/samples/samples.h"
#include "solvers/objective.h"

namespace dualdict {

// Codes that are denser than wanted make a better D, up to half of what there is room for: the nonzeros with which
// learning with options.nonzeros works. With an eta of the caller's as many as wanted: the objective is then the
// paper's.
double learning_nonzeros(const LearnOptions& options, std::size_t n_features);

// After learning with `learned`: eta = 0, and the tau with which codes for these D and C have options.nonzeros
// nonzeros on average, as counted on some of the samples. With an eta of the caller's the same as before. All ranks
// call this together. Throws Interrupted when that is due, of one process.
template <class T>
Objective coding_objective(const Samples<T>& samples, const LearnOptions& options, const Objective& learned,
                           const Matrix<double>& dictionary, const Matrix<double>& dual, const WatchedPool& work);

}  // namespace dualdict
