// SPDX-License-Identifier: BSD-3-Clause
// Solving with a symmetric positive definite matrix, in pieces that threads share and that an interrupt can end
// between.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"

namespace dualdict {

// Solves a x = b_i for every row of b, in its place: row i becomes a^-1 b_i. Of a only the upper triangle is read; it
// is used up. Throws Error(kNumerical) when a is not positive definite. The bits are those of one thread.
void solve_positive_definite(Matrix<double> a, MatrixView<double> b, ThreadPool& pool);

}  // namespace dualdict
