// SPDX-License-Identifier: BSD-3-Clause
// The large end of a spectrum, and rows made orthogonal, where a whole eigendecomposition would cost too much.
#pragma once

#include <cstddef>
#include <functional>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/symmetric.h"

namespace dualdict {

// Matrices up to this side get their whole spectrum: a second or less.
inline constexpr std::size_t kWholeSpectrum = 1024;

// M A for rows M: A symmetric, positive semidefinite, n x n.
using RowOperator = std::function<Matrix<double>(const Matrix<double>&)>;

// Nearly the `count` largest eigenvalues of A with their vectors, fewer when the rank is lower; values ascending, none
// above the true one of its place. Subspace iteration from a start that is always the same: `passes` + 1 products,
// never n^3 work.
SymmetricEigen top_spectrum(const RowOperator& apply, std::size_t n, std::size_t count, std::size_t passes,
                            ThreadPool& pool);

// The rows of x turned into as many orthogonal ones, shortest first, with the same x'x: all that sums over samples need
// of fewer samples than features.
Matrix<double> orthogonal_rows(const Matrix<double>& x, ThreadPool& pool);

}  // namespace dualdict
