// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/dual_step.h"

#include <algorithm>
#include <cmath>

#include "linalg/product.h"
#include "linalg/vectors.h"
#include "solvers/projection.h"

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

}  // namespace

DualSolver::DualSolver(const Matrix<double>& xx, double cut) : eigen_(symmetric_eigen(xx)) {
  const double largest = eigen_.values.empty() ? 0.0 : std::max(0.0, eigen_.values.back());
  while (n_zero_ < eigen_.values.size() && !(eigen_.values[n_zero_] > cut * largest)) ++n_zero_;
}

// `rotated` is Q' (X u'); on return `row` holds Q' c.
void DualSolver::solve_row(const double* rotated, double* row) const {
  constexpr int kMaxNewton = 60;
  const std::size_t n = eigen_.values.size();
  std::fill(row, row + n_zero_, 0.0);
  double shift = 0;
  for (int iteration = 0; iteration < kMaxNewton; ++iteration) {
    // Newton on 1/|c(l)| - 1, which is nearly linear in l and climbs to its root from the left.
    double squares = 0;
    double slope = 0;
    for (std::size_t i = n_zero_; i < n; ++i) {
      const double denominator = eigen_.values[i] + shift;
      row[i] = rotated[i] / denominator;
      squares += row[i] * row[i];
      slope += row[i] * row[i] / denominator;
    }
    const double length = std::sqrt(squares);
    if (length <= 1 + 1e-14) break;
    shift += squares / slope * (length - 1);
  }
  const double length = norm(row, n);
  if (length > 1)
    for (std::size_t i = n_zero_; i < n; ++i) row[i] /= length;
}

StepReport DualSolver::step(const Objective& objective, const Moments& moments, Matrix<double>& dual) const {
  StepReport report;
  report.iterations = 1;
  const Matrix<double> rotated = multiply_transposed<double>(moments.ux.view(), eigen_.vectors.view());
  Matrix<double> solved(dual.rows(), dual.cols());
  for (std::size_t k = 0; k < dual.rows(); ++k) solve_row(rotated.row(k), solved.row(k));
  Matrix<double> candidate = multiply<double>(solved.view(), eigen_.vectors.view());
  project_rows(candidate, false);
  const Matrix<double> s_old = multiply<double>(dual.view(), moments.xx.view());
  Matrix<double> s_new = multiply<double>(candidate.view(), moments.xx.view());
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
    gap += ball_gap(sc, dual.row(k), n, false);
  }
  report.gap = 2 * energy_scale(objective) * gap;
  return report;
}

StepReport dual_step_fista(const Objective& objective, const Moments& moments, double gap_tolerance,
                           std::size_t max_iterations, Matrix<double>& dual) {
  BallQuadratic problem;
  problem.apply = [&](const Matrix<double>& m) { return multiply<double>(m.view(), moments.xx.view()); };
  problem.linear = &moments.ux;
  problem.largest_eigenvalue = largest_eigenvalue(moments.xx);
  const double scale = 2 * energy_scale(objective);
  StepReport report = minimize_accelerated(problem, dual, gap_tolerance / scale, max_iterations);
  report.gap *= scale;
  return report;
}

}  // namespace dualdict
