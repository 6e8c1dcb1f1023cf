// SPDX-License-Identifier: BSD-3-Clause
// Cosines between the rows of matrices.
#pragma once

#include <cstddef>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"

namespace dualdict {

// |cosine| of every row of a with every row of b; zero rows have cosine 0.
Matrix<float> absolute_cosines(const Matrix<double>& a, const Matrix<double>& b, ThreadPool& pool);
// The largest |cosine| of each row with another, some rows at a time.
std::vector<double> largest_within(const Matrix<double>& rows, ThreadPool& pool);
double mean_of(const std::vector<double>& values);

}  // namespace dualdict
