// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices, in double.
#pragma once

#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

// a = vectors' diag(values) vectors, values ascending, row i of `vectors` the eigenvector of value i.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix<double> vectors;
};
SymmetricEigen symmetric_eigen(const Matrix<double>& a);

// The largest eigenvalue of a positive semidefinite matrix, or a little more: never less. Exact up to n = 400; above,
// power iteration with a margin, checked by a Cholesky factor and capped by the largest absolute row sum.
double largest_eigenvalue(const Matrix<double>& a);

// Copies what is above the diagonal to below it.
void mirror_upper(Matrix<double>& a);

}  // namespace dualdict
