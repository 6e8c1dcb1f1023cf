// SPDX-License-Identifier: BSD-3-Clause
#include "images/patch_bases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "images/basis_choice.h"
#include "linalg/kernels/l0_kernels.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr int kSortSteps = 8;
constexpr int kTurns = 8;
// A basis that is taught by fewer patches than this times their features stays as it is.
constexpr std::size_t kFewestPerFeature = 2;

Matrix<double> scatter_of(MatrixView<const float> patches, std::span<const std::size_t> rows) {
  const Matrix<float> chosen = rows_of(patches, rows);
  return transposed_multiply<double>(convert<double>(chosen).view(), convert<double>(chosen).view());
}

Matrix<float> principal_components(const Matrix<double>& scatter) {
  const SymmetricEigen eigen = symmetric_eigen(scatter);
  Matrix<float> basis(scatter.rows(), scatter.cols());
  for (std::size_t k = 0; k < basis.rows(); ++k)
    for (std::size_t f = 0; f < basis.cols(); ++f)
      basis(k, f) = static_cast<float>(eigen.vectors(basis.rows() - 1 - k, f));
  return basis;
}

// Rows of |z| at unit length: what a patch is made of, whatever its signs and its strength.
Matrix<float> contents_of(MatrixView<const float> patches, const Matrix<float>& components) {
  Matrix<float> contents = multiply_transposed<float>(patches, components.view());
  for (std::size_t i = 0; i < contents.rows(); ++i) {
    const double length = norm(contents.row(i), contents.cols());
    const auto by = static_cast<float>(length > 0 ? 1 / length : 0);
    for (std::size_t k = 0; k < contents.cols(); ++k) contents(i, k) = std::abs(contents(i, k)) * by;
  }
  return contents;
}

// The place of each patch among `n` groups, by k-means of directions.
std::vector<std::size_t> sort_by_content(const Matrix<float>& contents, std::size_t n, Random& random) {
  Matrix<float> centres(n, contents.cols());
  for (std::size_t m = 0; m < n; ++m)
    std::copy_n(contents.row(random.index(contents.rows())), contents.cols(), centres.row(m));
  std::vector<std::size_t> group(contents.rows());
  for (int step = 0; step < kSortSteps; ++step) {
    const Matrix<float> likeness = multiply_transposed<float>(contents.view(), centres.view());
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i] = static_cast<std::size_t>(std::max_element(likeness.row(i), likeness.row(i) + n) - likeness.row(i));
    Matrix<double> sums(n, contents.cols());
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t k = 0; k < contents.cols(); ++k) sums(group[i], k) += static_cast<double>(contents(i, k));
    for (std::size_t m = 0; m < n; ++m) {
      const double length = norm(sums.row(m), sums.cols());
      if (!(length > 0)) continue;
      for (std::size_t k = 0; k < sums.cols(); ++k) centres(m, k) = static_cast<float>(sums(m, k) / length);
    }
  }
  return group;
}

std::vector<std::vector<std::size_t>> members_of(std::span<const std::size_t> group, std::size_t n) {
  std::vector<std::vector<std::size_t>> members(n);
  for (std::size_t i = 0; i < group.size(); ++i) members[group[i]].push_back(i);
  return members;
}

// The rotation nearest to what the thresholded coefficients ask for: the polar factor of U'X. Directions that it lacks
// stay as they are.
Matrix<float> turned_basis(const Matrix<float>& basis, MatrixView<const float> patches, double threshold) {
  constexpr double kHold = 1e-6;  // of the largest
  Matrix<float> codes = multiply_transposed<float>(patches, basis.view());
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (std::abs(codes.data()[i]) <= static_cast<float>(threshold)) codes.data()[i] = 0;
  Matrix<double> wanted = convert<double>(transposed_multiply<float>(codes.view(), patches));
  double largest = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) largest = std::max(largest, std::abs(wanted.data()[k]));
  if (!(largest > 0)) return basis;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    wanted.data()[k] += kHold * largest * static_cast<double>(basis.data()[k]);
  const SymmetricEigen eigen = symmetric_eigen(transposed_multiply<double>(wanted.view(), wanted.view()));
  Matrix<double> scaled = eigen.vectors;  // rows v / sqrt(value)
  for (std::size_t k = 0; k < scaled.rows(); ++k) {
    const double value = eigen.values[k];
    const double by = value > kHold * kHold * kHold * eigen.values.back() ? 1 / std::sqrt(value) : 0;
    for (std::size_t f = 0; f < scaled.cols(); ++f) scaled(k, f) *= by;
  }
  const Matrix<double> root = transposed_multiply<double>(scaled.view(), eigen.vectors.view());
  return convert<float>(multiply<double>(wanted.view(), root.view()));
}

}  // namespace

PatchBases learn_bases(MatrixView<const float> patches, const BasesOptions& options, Random random, ThreadPool& pool) {
  std::vector<std::size_t> all(patches.rows);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Matrix<float> common = principal_components(scatter_of(patches, all));
  PatchBases bases(options.n_bases, common);
  const std::size_t fewest = kFewestPerFeature * patches.cols;
  std::vector<std::size_t> group(patches.rows);
  if (options.n_bases > 1) group = sort_by_content(contents_of(patches, common), options.n_bases, random);
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto members = members_of(group, options.n_bases);
    pool.run(options.n_bases, [&](std::size_t m, std::size_t) {
      if (members[m].size() < fewest) return;
      const Matrix<float> mine = rows_of(patches, members[m]);
      if (turn == 0) bases[m] = principal_components(scatter_of(patches, members[m]));
      bases[m] = turned_basis(bases[m], mine.view(), options.threshold);
    });
    if (options.n_bases > 1) group = sparsest_bases(patches, bases, options.threshold, pool);
  }
  return bases;
}

}  // namespace dualdict
