// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "dualdict/error.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor>;

ConstMap map(const Matrix<double>& a) {
  return ConstMap(a.data(), static_cast<Eigen::Index>(a.rows()), static_cast<Eigen::Index>(a.cols()));
}

// Gershgorin's bound: no eigenvalue exceeds the largest absolute row sum.
double row_sum_bound(const Matrix<double>& a) {
  double bound = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) bound = std::max(bound, sum_abs(a.row(i), a.cols()));
  return bound;
}

double power_iteration(const Matrix<double>& a) {
  constexpr int kMaxSteps = 200;
  constexpr double kChange = 1e-4;
  const std::size_t n = a.rows();
  std::vector<double> v(n), w(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = 1.0 + 0.5 * std::sin(static_cast<double>(i));  // no symmetry to get stuck in
  double value = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const double length = norm(v.data(), n);
    if (length == 0) break;
    for (double& x : v) x /= length;
    for (std::size_t i = 0; i < n; ++i) w[i] = dot(a.row(i), v.data(), n);
    const double next = norm(w.data(), n);
    v.swap(w);
    const bool settled = std::abs(next - value) <= kChange * next;
    value = next;
    if (settled) break;
  }
  return value;
}

// Whether no eigenvalue of a exceeds `value`: value I - a has a Cholesky factor.
bool is_upper_bound(const Matrix<double>& a, double value) {
  RowMajor shifted = -map(a);
  shifted.diagonal().array() += value;
  return Eigen::LLT<RowMajor>(shifted).info() == Eigen::Success;
}

// Power iteration can settle on a crowd of eigenvalues below the largest: what it finds is checked and raised.
double checked_power_iteration(const Matrix<double>& a, double bound) {
  constexpr double kMargin = 1.02;
  constexpr double kRaise = 1.1;
  double value = power_iteration(a) * kMargin;
  while (value < bound && !is_upper_bound(a, value)) value = value > 0 ? value * kRaise : bound;
  return std::min(bound, value);
}

}  // namespace

SymmetricEigen symmetric_eigen(const Matrix<double>& a) {
  const Eigen::SelfAdjointEigenSolver<RowMajor> solver(map(a));
  if (solver.info() != Eigen::Success)
    throw Error(ErrorKind::kNumerical, "the eigenvalues of a " + std::to_string(a.rows()) + " x " +
                                           std::to_string(a.rows()) + " matrix did not converge");
  SymmetricEigen result;
  result.values.assign(solver.eigenvalues().begin(), solver.eigenvalues().end());
  result.vectors = Matrix<double>(a.rows(), a.rows());
  Eigen::Map<RowMajor>(result.vectors.data(), solver.eigenvectors().rows(), solver.eigenvectors().cols()) =
      solver.eigenvectors().transpose();
  return result;
}

double largest_eigenvalue(const Matrix<double>& a) {
  constexpr std::size_t kExactUpTo = 400;
  if (a.rows() == 0) return 0;
  const double bound = row_sum_bound(a);
  if (a.rows() > kExactUpTo) return checked_power_iteration(a, bound);
  const Eigen::SelfAdjointEigenSolver<RowMajor> solver(map(a), Eigen::EigenvaluesOnly);
  // Rounding may leave the computed value a few units below the true one.
  return std::min(bound, std::max(0.0, solver.eigenvalues().maxCoeff()) * (1.0 + 1e-12));
}

void mirror_upper(Matrix<double>& a) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) a(i, j) = a(j, i);
}

}  // namespace dualdict
