// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/atom_set.h"

#include <algorithm>
#include <cmath>

#include "linalg/vectors.h"

namespace dualdict {

AtomSet atom_set_of(const LearnOptions& options) {
  return {.positive = options.positive_dictionary};
}

void AtomSet::into_cone(double* row, std::size_t n) const {
  if (positive)
    for (std::size_t i = 0; i < n; ++i) row[i] = std::max(0.0, row[i]);
}

void AtomSet::resemble(double* row, std::size_t n) const {
  if (positive)
    for (std::size_t i = 0; i < n; ++i) row[i] = std::abs(row[i]);
}

void AtomSet::project(double* row, std::size_t n) const {
  // Cone first, ball second: for a ball around the cone's tip that is the projection on their intersection.
  into_cone(row, n);
  const double length = norm(row, n);
  if (!(length > 1)) return;
  const double inverse = 1 / length;
  for (std::size_t i = 0; i < n; ++i) row[i] *= inverse;
}

void AtomSet::project(Matrix<double>& rows) const {
  for (std::size_t i = 0; i < rows.rows(); ++i) project(rows.row(i), rows.cols());
}

double AtomSet::gap(const double* gradient, const double* row, std::size_t n) const {
  // The squared length of the part of -gradient that the cone lets through.
  double descent = 0;
  if (is_ball()) {
    for (std::size_t i = 0; i < n; ++i) descent += gradient[i] * gradient[i];
  } else {
    std::vector<double> down(n);
    for (std::size_t i = 0; i < n; ++i) down[i] = -gradient[i];
    into_cone(down.data(), n);
    for (const double value : down) descent += value * value;
  }
  return std::max(0.0, dot(gradient, row, n) + std::sqrt(descent));
}

double AtomSet::gap(const Matrix<double>& gradient, const Matrix<double>& rows) const {
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) sum += gap(gradient.row(i), rows.row(i), rows.cols());
  return sum;
}

}  // namespace dualdict
