// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/dual_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/parallel_product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// 1/2 c'(XX')c - c'(X u') of one row, given (XX')c.
double row_value(const double* row, const double* sc, const double* linear, std::size_t n) {
  return 0.5 * dot(row, sc, n) - dot(row, linear, n);
}

// Scale of |U - CX|^2 in E. With eta = 0 the dual is outside E: its own least squares, in the units of 1/K |U - CX|^2.
double energy_scale(const Objective& objective) {
  return (objective.eta > 0 ? objective.eta : 1.0) / objective.k();
}

// lambda_max(XX'), from the smaller of the two Gram matrices.
double largest_of(const Moments& moments, ThreadPool& pool) {
  return largest_eigenvalue(moments.root.empty() ? moments.xx : parallel_gram(moments.root.view(), pool));
}

}  // namespace

DualSolver::DualSolver(const Matrix<double>& xx, double cut) : eigen_(symmetric_eigen(xx)) {
  cut_spectrum(cut);
}

DualSolver::DualSolver(const Moments& moments, double cut, ThreadPool& pool, const Interrupt& interrupt) {
  const Matrix<double>& root = moments.root;
  if (root.empty() && moments.xx.rows() <= kWholeSpectrum) {
    eigen_ = symmetric_eigen(moments.xx);
  } else if (!root.empty() && root.rows() <= kWholeSpectrum) {
    for (std::size_t i = 0; i < root.rows(); ++i) eigen_.values.push_back(squared_norm(root.row(i), root.cols()));
  } else {
    // The vectors past kTop are there for the accuracy of those before, and tell how large what is left is.
    constexpr std::size_t kTop = 192, kPast = 32, kPasses = 4;
    const auto apply = [&](const Matrix<double>& m) {
      interrupt.throw_if_due();
      return multiply_by_xx(m, moments, pool);
    };
    const std::size_t d = root.empty() ? moments.xx.cols() : root.cols();
    metric_.top = top_spectrum(apply, d, kTop + kPast, kPasses, pool);
    const std::size_t n = metric_.top.values.size();
    metric_.rest = n > 0 ? metric_.top.values[std::min(kPast, n - 1)] : 1.0;
    return;
  }
  cut_spectrum(cut);
}

void DualSolver::cut_spectrum(double cut) {
  const double largest = eigen_.values.empty() ? 0.0 : std::max(0.0, eigen_.values.back());
  while (n_zero_ < eigen_.values.size() && !(eigen_.values[n_zero_] > cut * largest)) ++n_zero_;
}

Matrix<double> DualSolver::to_spectrum(const Matrix<double>& m, const Moments& moments, ThreadPool& pool) const {
  if (!eigen_.vectors.empty()) return parallel_multiply_transposed(m.view(), eigen_.vectors.view(), pool);
  Matrix<double> along = parallel_multiply_transposed(m.view(), moments.root.view(), pool);
  for (std::size_t k = 0; k < along.rows(); ++k)
    for (std::size_t i = 0; i < along.cols(); ++i)
      along(k, i) = i < n_zero_ ? 0.0 : along(k, i) / std::sqrt(eigen_.values[i]);
  return along;
}

Matrix<double> DualSolver::from_spectrum(Matrix<double> m, const Moments& moments, ThreadPool& pool) const {
  if (!eigen_.vectors.empty()) return parallel_product(m.view(), eigen_.vectors.view(), pool);
  for (std::size_t k = 0; k < m.rows(); ++k)
    for (std::size_t i = n_zero_; i < m.cols(); ++i) m(k, i) /= std::sqrt(eigen_.values[i]);
  return parallel_product(m.view(), moments.root.view(), pool);
}

StepReport DualSolver::step(const Objective& objective, const Moments& moments, Matrix<double>& dual,
                            const DescentLimits& limits, ThreadPool& pool) const {
  const double scale = 2 * energy_scale(objective);
  StepReport report;
  if (descends()) {
    BallQuadratic problem;
    problem.apply = [&](const Matrix<double>& m) { return multiply_by_xx(m, moments, pool); };
    problem.linear = &moments.ux;
    DescentLimits scaled = limits;
    scaled.gap_tolerance /= scale;
    report = minimize_in_metric(problem, metric_, scaled, dual, pool);
    report.gap *= scale;
    return report;
  }
  report.iterations = 1;
  const Matrix<double> rotated = to_spectrum(moments.ux, moments, pool);
  Matrix<double> solved(rotated.rows(), rotated.cols());
  for (std::size_t k = 0; k < solved.rows(); ++k) solve_in_ball(eigen_.values, rotated.row(k), n_zero_, solved.row(k));
  Matrix<double> candidate = from_spectrum(std::move(solved), moments, pool);
  AtomSet{}.project(candidate);
  const Matrix<double> s_old = multiply_by_xx(dual, moments, pool);
  Matrix<double> s_new = multiply_by_xx(candidate, moments, pool);
  const std::size_t n = dual.cols();
  double gap = 0;
  for (std::size_t k = 0; k < dual.rows(); ++k) {
    const double* linear = moments.ux.row(k);
    double* sc = s_new.row(k);
    if (row_value(candidate.row(k), sc, linear, n) <= row_value(dual.row(k), s_old.row(k), linear, n)) {
      std::copy_n(candidate.row(k), n, dual.row(k));
    } else {
      std::copy_n(s_old.row(k), n, sc);
    }
    for (std::size_t j = 0; j < n; ++j) sc[j] -= linear[j];
    gap += AtomSet{}.gap(sc, dual.row(k), n);
  }
  report.gap = scale * gap;
  return report;
}

StepReport dual_step_fista(const Objective& objective, const Moments& moments, double gap_tolerance,
                           std::size_t max_iterations, Matrix<double>& dual, ThreadPool& pool) {
  BallQuadratic problem;
  problem.apply = [&](const Matrix<double>& m) { return multiply_by_xx(m, moments, pool); };
  problem.linear = &moments.ux;
  problem.largest_eigenvalue = largest_of(moments, pool);
  const double scale = 2 * energy_scale(objective);
  StepReport report = minimize_accelerated(problem, dual, gap_tolerance / scale, max_iterations);
  report.gap *= scale;
  return report;
}

}  // namespace dualdict
