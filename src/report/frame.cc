// SPDX-License-Identifier: BSD-3-Clause
#include "report/frame.h"

#include <algorithm>
#include <cmath>

#include "linalg/product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr std::size_t kLargestSide = 1500;
constexpr double kRankTolerance = 1e-6;
constexpr std::size_t kBlock = 256;

// Rows of unit norm; a zero row stays zero.
Matrix<double> directions(const Matrix<double>& atoms) {
  Matrix<double> unit = atoms;
  for (std::size_t i = 0; i < unit.rows(); ++i) {
    const double length = norm(unit.row(i), unit.cols());
    if (length > 0)
      for (std::size_t j = 0; j < unit.cols(); ++j) unit(i, j) /= length;
  }
  return unit;
}

double cosine(const double* a, const double* b, std::size_t n) {
  const double lengths = norm(a, n) * norm(b, n);
  return lengths > 0 ? dot(a, b, n) / lengths : 0.0;
}

// The largest |cos| of every atom with another, a block of rows of the Gram matrix at a time.
void measure_coherence(const Matrix<double>& atoms, AtomNumbers& numbers) {
  const Matrix<double> unit = directions(atoms);
  PackedRight<double> right;
  right.pack_transposed(unit.view());
  Matrix<double> gram(std::min(kBlock, unit.rows()), unit.rows());
  double sum = 0;
  for (std::size_t first = 0; first < unit.rows(); first += kBlock) {
    const std::size_t n = std::min(kBlock, unit.rows() - first);
    const MatrixView<double> block = gram.view().row_range(0, n);
    multiply<double>(plain(unit.view().row_range(first, n)), right, block);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < unit.rows(); ++j) {
        if (j == first + i) continue;
        const double value = std::min(1.0, std::abs(block(i, j)));
        sum += value;
        if (value > numbers.coherence[first + i]) {
          numbers.coherence[first + i] = value;
          numbers.nearest[first + i] = j;
        }
      }
  }
  const double pairs = static_cast<double>(unit.rows()) * (static_cast<double>(unit.rows()) - 1);
  numbers.mean_coherence = pairs > 0 ? sum / pairs : 0.0;
}

}  // namespace

std::optional<FrameBounds> frame_bounds(const Matrix<double>& atoms) {
  if (std::min(atoms.rows(), atoms.cols()) > kLargestSide) return std::nullopt;
  // D D' and D'D have the same eigenvalues but for zeros: the smaller one will do.
  const Matrix<double> gram = atoms.rows() <= atoms.cols() ? multiply_transposed<double>(atoms.view(), atoms.view())
                                                           : transposed_multiply<double>(atoms.view(), atoms.view());
  const std::vector<double> values = symmetric_eigen(gram).values;
  FrameBounds bounds;
  bounds.upper = std::max(0.0, values.back());
  double sum = 0;
  double squares = 0;
  for (auto value = values.rbegin(); value != values.rend() && *value > kRankTolerance * bounds.upper; ++value) {
    ++bounds.rank;
    bounds.lower = *value;
    sum += *value;
    squares += *value * *value;
  }
  if (bounds.rank == 0) return bounds;
  const double mean = sum / static_cast<double>(bounds.rank);
  bounds.distance = std::sqrt(std::max(0.0, 1 - mean * sum / squares));
  return bounds;
}

AtomNumbers atom_numbers(const Matrix<double>& atoms, const Matrix<double>& dual) {
  const std::size_t n = atoms.rows();
  AtomNumbers numbers;
  numbers.coherence.assign(n, 0.0);
  numbers.nearest.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    numbers.norm.push_back(norm(atoms.row(i), atoms.cols()));
    numbers.dual_norm.push_back(norm(dual.row(i), dual.cols()));
    numbers.agreement.push_back(cosine(atoms.row(i), dual.row(i), atoms.cols()));
    numbers.nearest[i] = i;
  }
  measure_coherence(atoms, numbers);
  return numbers;
}

double welch_bound(std::size_t n_atoms, std::size_t n_features) {
  if (n_atoms <= n_features || n_features == 0) return 0;
  const auto k = static_cast<double>(n_atoms);
  const auto d = static_cast<double>(n_features);
  return std::sqrt((k - d) / (d * (k - 1)));
}

}  // namespace dualdict
