// SPDX-License-Identifier: BSD-3-Clause
#include "audit/cosines.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/parallel_product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr std::size_t kCosineRows = 512;

Matrix<double> with_length_one(const Matrix<double>& rows) {
  Matrix<double> result = rows;
  for (std::size_t i = 0; i < result.rows(); ++i) {
    const double length = norm(result.row(i), result.cols());
    for (std::size_t f = 0; f < result.cols(); ++f) result(i, f) = length > 0 ? result(i, f) / length : 0.0;
  }
  return result;
}

// use(first, cosines) for some rows of a at a time.
template <class Use>
void for_cosines(const Matrix<double>& a, const Matrix<double>& b, ThreadPool& pool, const Use& use) {
  const Matrix<double> left = with_length_one(a), right = with_length_one(b);
  for (std::size_t first = 0; first < left.rows(); first += kCosineRows) {
    const std::size_t n = std::min(kCosineRows, left.rows() - first);
    use(first, parallel_multiply_transposed(left.view().row_range(first, n), right.view(), pool));
  }
}

}  // namespace

Matrix<float> absolute_cosines(const Matrix<double>& a, const Matrix<double>& b, ThreadPool& pool) {
  Matrix<float> result(a.rows(), b.rows());
  for_cosines(a, b, pool, [&](std::size_t first, const Matrix<double>& cosines) {
    for (std::size_t i = 0; i < cosines.rows(); ++i)
      for (std::size_t j = 0; j < cosines.cols(); ++j)
        result(first + i, j) = static_cast<float>(std::abs(cosines(i, j)));
  });
  return result;
}

std::vector<double> largest_within(const Matrix<double>& rows, ThreadPool& pool) {
  std::vector<double> largest(rows.rows());
  for_cosines(rows, rows, pool, [&](std::size_t first, const Matrix<double>& cosines) {
    for (std::size_t i = 0; i < cosines.rows(); ++i)
      for (std::size_t j = 0; j < cosines.cols(); ++j)
        if (j != first + i) largest[first + i] = std::max(largest[first + i], std::abs(cosines(i, j)));
  });
  return largest;
}

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace dualdict
