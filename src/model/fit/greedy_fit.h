// SPDX-License-Identifier: BSD-3-Clause
// A dictionary for greedy codes that starts from the decoder of a hard encoder, whose codes start those of learning.
#pragma once

#include <cstdint>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "model/fit/hard_fit.h"

namespace dualdict {

// D, K x d with unit rows, for samples less the offset of the encoder. The pool's interrupt is heard between blocks.
template <class T>
Matrix<double> fit_greedy(MatrixView<const T> samples, const HardEncoder& encoder, double nonzeros, std::uint64_t seed,
                          ThreadPool& pool);

}  // namespace dualdict
