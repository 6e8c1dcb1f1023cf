// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/projection.h"

#include <algorithm>
#include <cmath>

#include "linalg/vectors.h"

namespace dualdict {

void project_row(double* row, std::size_t n, bool positive) {
  // Cone first, ball second: for a ball around the cone's tip that is the projection on their intersection.
  if (positive)
    for (std::size_t i = 0; i < n; ++i) row[i] = std::max(0.0, row[i]);
  const double length = norm(row, n);
  if (!(length > 1)) return;
  const double inverse = 1 / length;
  for (std::size_t i = 0; i < n; ++i) row[i] *= inverse;
}

void project_rows(Matrix<double>& rows, bool positive) {
  for (std::size_t i = 0; i < rows.rows(); ++i) project_row(rows.row(i), rows.cols(), positive);
}

double ball_gap(const double* gradient, const double* row, std::size_t n, bool positive) {
  double descent = 0;  // squared length of the part of -gradient that the set lets through
  for (std::size_t i = 0; i < n; ++i)
    if (!positive || gradient[i] < 0) descent += gradient[i] * gradient[i];
  return std::max(0.0, dot(gradient, row, n) + std::sqrt(descent));
}

double ball_gap(const Matrix<double>& gradient, const Matrix<double>& rows, bool positive) {
  double gap = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) gap += ball_gap(gradient.row(i), rows.row(i), rows.cols(), positive);
  return gap;
}

}  // namespace dualdict
