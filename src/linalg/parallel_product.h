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
// The same for an operand that is packed already, zeros or not.
void parallel_multiply(MatrixView<const double> a, const PackedRight<double>& b, MatrixView<double> c, Into into,
                       ThreadPool& pool);
// a b, a a' and a b'
Matrix<double> parallel_product(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool);
Matrix<double> parallel_gram(MatrixView<const double> a, ThreadPool& pool);
Matrix<double> parallel_multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool);
// c += a' b, some rows of a and b at a time: what it needs does not grow with them. Zeros of a cost next to nothing
// when there are many.
void add_transposed_product(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                            ThreadPool& pool);

}  // namespace dualdict
