// SPDX-License-Identifier: BSD-3-Clause
// The constraint set of an atom or a filter: the unit ball, cut by the positive orthant when asked.
#pragma once

#include <cstddef>

#include "dualdict/matrix.h"

namespace dualdict {

// The nearest point of the set. A point inside the ball stays where it is: the constraint is <= 1, not = 1.
void project_row(double* row, std::size_t n, bool positive);
void project_rows(Matrix<double>& rows, bool positive);

// How far, at most, the convex function with this gradient can still fall within the set: <gradient, row> minus its
// minimum over the set (the Frank-Wolfe gap).
double ball_gap(const double* gradient, const double* row, std::size_t n, bool positive);
double ball_gap(const Matrix<double>& gradient, const Matrix<double>& rows, bool positive);

}  // namespace dualdict
