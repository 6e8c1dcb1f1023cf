// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/top_spectrum.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "linalg/parallel_product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// Orthonormal rows that span the same space; directions that are nothing but rounding are left out.
Matrix<double> orthonormal_rows(const Matrix<double>& rows, ThreadPool& pool) {
  constexpr double kCut = 1e-14;
  if (rows.empty()) return rows;
  const SymmetricEigen eigen = symmetric_eigen(parallel_gram(rows.view(), pool));
  const std::size_t n = eigen.values.size();
  const double largest = n > 0 ? std::max(0.0, eigen.values.back()) : 0.0;
  std::size_t first = 0;
  while (first < n && !(eigen.values[first] > kCut * largest)) ++first;
  Matrix<double> turn = convert<double>(eigen.vectors.view().row_range(first, n - first));
  for (std::size_t i = 0; i < turn.rows(); ++i) {
    const double inverse = 1 / std::sqrt(eigen.values[first + i]);
    for (std::size_t j = 0; j < n; ++j) turn(i, j) *= inverse;
  }
  return parallel_product(turn.view(), rows.view(), pool);
}

// Twice: the first leaves what the squares of a wide range of lengths have rounded away.
Matrix<double> orthonormal(const Matrix<double>& rows, ThreadPool& pool) {
  return orthonormal_rows(orthonormal_rows(rows, pool), pool);
}

}  // namespace

SymmetricEigen top_spectrum(const RowOperator& apply, std::size_t n, std::size_t count, std::size_t passes,
                            ThreadPool& pool) {
  Random random(0);
  Matrix<double> basis(std::min(count, n), n);
  for (std::size_t i = 0; i < basis.size(); ++i) basis.data()[i] = random.normal();
  for (std::size_t pass = 0; pass < passes && !basis.empty(); ++pass) basis = orthonormal(apply(basis), pool);
  if (basis.empty()) return {{}, Matrix<double>(0, n)};
  const Matrix<double> image = apply(basis);
  SymmetricEigen inner = symmetric_eigen(parallel_multiply_transposed(image.view(), basis.view(), pool));
  for (double& value : inner.values) value = std::max(0.0, value);
  inner.vectors = parallel_product(inner.vectors.view(), basis.view(), pool);
  return inner;
}

Matrix<double> orthogonal_rows(const Matrix<double>& x, ThreadPool& pool) {
  const SymmetricEigen eigen = symmetric_eigen(parallel_gram(x.view(), pool));
  return parallel_product(eigen.vectors.view(), x.view(), pool);
}

}  // namespace dualdict
