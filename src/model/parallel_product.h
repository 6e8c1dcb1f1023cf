// SPDX-License-Identifier: BSD-3-Clause
// Products spread over threads by rows of the result. The bits are those of one thread.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/product.h"

namespace dualdict {

// a b, or c +- a b.
void parallel_multiply(const Left<double>& a, const PackedRight<double>& b, MatrixView<double> c, Into into,
                       ThreadPool& pool);
// a b'
Matrix<double> parallel_multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool);
// a' b
Matrix<double> parallel_transposed_multiply(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool);
// a b
Matrix<double> parallel_multiply(MatrixView<const double> a, MatrixView<const double> b, ThreadPool& pool);

}  // namespace dualdict
