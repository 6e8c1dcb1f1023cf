// SPDX-License-Identifier: BSD-3-Clause
// All of learning with penalty l0: hard codes, a dictionary for greedy codes, and the levels of both.
#pragma once

#include <cstdint>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/fit/hard_fit.h"

namespace dualdict {

struct L0Options {
  std::size_t n_atoms = 0;
  double nonzeros = 1;
  bool positive_codes = false;
  std::uint64_t seed = 0;
};

// Sets dictionary, dual, offset, penalty and encoders of the parts, whose dtype is set. Samples are preprocessed and in
// random order; on `held_out` nothing is learned, the better of two is chosen and the levels are set. Throws
// Interrupted.
template <class T>
HardFitReport fit_l0(MatrixView<const T> samples, MatrixView<const T> held_out, const L0Options& options,
                     ThreadPool& pool, ModelParts& parts);

}  // namespace dualdict
