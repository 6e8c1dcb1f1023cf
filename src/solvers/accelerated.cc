// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/accelerated.h"

#include <cmath>

#include "linalg/vectors.h"

namespace dualdict {
namespace {

struct Evaluation {
  double value;
  Matrix<double> gradient;
};

Evaluation evaluate(const BallQuadratic& problem, const Matrix<double>& m) {
  Evaluation at;
  at.gradient = problem.apply(m);
  at.value = 0.5 * inner_product(m, at.gradient) - inner_product(m, *problem.linear);
  for (std::size_t i = 0; i < m.size(); ++i) at.gradient.data()[i] -= problem.linear->data()[i];
  return at;
}

// <a - b, b - c>: positive when the momentum points uphill.
double restart_test(const Matrix<double>& a, const Matrix<double>& b, const Matrix<double>& c) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a.data()[i] - b.data()[i]) * (b.data()[i] - c.data()[i]);
  return sum;
}

}  // namespace

StepReport minimize_accelerated(const BallQuadratic& problem, Matrix<double>& m, double gap_tolerance,
                                std::size_t max_iterations) {
  constexpr std::size_t kCheckEvery = 10;  // the gap needs a product of its own
  StepReport report;
  const Evaluation start = evaluate(problem, m);
  report.gap = problem.set.gap(start.gradient, m);
  if (report.gap <= gap_tolerance || !(problem.largest_eigenvalue > 0)) return report;

  const double step = 1.0 / problem.largest_eigenvalue;
  Matrix<double> current = m;
  Matrix<double> previous = m;
  Matrix<double> lead = m;  // the paper's phi
  double a = 1;
  while (report.iterations < max_iterations) {
    ++report.iterations;
    const Matrix<double> q = problem.apply(lead);
    previous = current;
    for (std::size_t i = 0; i < current.size(); ++i)
      current.data()[i] = lead.data()[i] - step * (q.data()[i] - problem.linear->data()[i]);
    problem.set.project(current);
    if (restart_test(lead, current, previous) > 0) a = 1;
    const double next = (1 + std::sqrt(1 + 4 * a * a)) / 2;
    const double momentum = (a - 1) / next;
    for (std::size_t i = 0; i < current.size(); ++i)
      lead.data()[i] = current.data()[i] + momentum * (current.data()[i] - previous.data()[i]);
    a = next;
    if (report.iterations % kCheckEvery == 0 &&
        problem.set.gap(evaluate(problem, current).gradient, current) <= gap_tolerance)
      break;
  }
  const Evaluation end = evaluate(problem, current);
  if (end.value <= start.value) {
    report.gap = problem.set.gap(end.gradient, current);
    m = current;
  }
  return report;
}

}  // namespace dualdict
