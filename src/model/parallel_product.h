// SPDX-License-Identifier: BSD-3-Clause
// Products spread over threads by rows of the result. The bits are those of one thread.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/product.h"

namespace dualdict {

// c +- a b. Zeros of a cost next to nothing when there are many.
void parallel_multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, Into into,
                       ThreadPool& pool);
// a b'
Matrix<double> parallel_multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool);
// a' b. Zeros of a cost next to nothing when there are many.
Matrix<double> parallel_transposed_multiply(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool);
// The sum of u' a u over the rows u of `rows`, a symmetric. Zeros of u cost nothing.
double parallel_quadratic(const Matrix<double>& a, MatrixView<const double> rows, ThreadPool& pool);

}  // namespace dualdict
