// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/spectral_descent.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/parallel_product.h"
#include "linalg/vectors.h"
#include "solvers/atom_set.h"

namespace dualdict {

void solve_in_ball(std::span<const double> values, const double* linear, std::size_t n_zero, double* row) {
  constexpr int kMaxNewton = 60;
  const std::size_t n = values.size();
  std::fill(row, row + n_zero, 0.0);
  double shift = 0;
  for (int iteration = 0; iteration < kMaxNewton; ++iteration) {
    // Newton on 1/|c(l)| - 1, which is nearly linear in l and climbs to its root from the left.
    double squares = 0;
    double slope = 0;
    for (std::size_t i = n_zero; i < n; ++i) {
      const double denominator = values[i] + shift;
      row[i] = linear[i] / denominator;
      squares += row[i] * row[i];
      slope += row[i] * row[i] / denominator;
    }
    const double length = std::sqrt(squares);
    if (length <= 1 + 1e-14) break;
    shift += squares / slope * (length - 1);
  }
  const double length = norm(row, n);
  if (length > 1)
    for (std::size_t i = n_zero; i < n; ++i) row[i] /= length;
}

namespace {

// A point of the ball with the quadratic's part Q(M) and value there.
struct Point {
  Matrix<double> m;
  Matrix<double> q;
  double value = 0;
};

class Descent {
 public:
  Descent(const BallQuadratic& problem, const SpectralMetric& metric, ThreadPool& pool)
      : problem_(problem), metric_(metric), pool_(pool), rest_(metric.rest) {}

  StepReport run(const DescentLimits& limits, Matrix<double>& m) {
    StepReport report;
    Point current = point(std::move(m));
    m = current.m;
    report.gap = gap(current);
    Matrix<double> lead = current.m;
    Matrix<double> q_lead = current.q;
    double a = 1;
    while (report.gap > limits.gap_tolerance && rest_ > 0 && report.iterations < limits.max_iterations) {
      if (limits.interrupt != nullptr) limits.interrupt->throw_if_due();
      ++report.iterations;
      Point next = point(below(lead, q_lead));
      if (!(next.value <= current.value)) {
        // Momentum went too far; without any, the metric was too low.
        if (a == 1) rest_ *= 2;
        if (!std::isfinite(rest_)) break;
        a = 1;
        lead = current.m;
        q_lead = current.q;
        continue;
      }
      const double larger = (1 + std::sqrt(1 + 4 * a * a)) / 2;
      const double momentum = (a - 1) / larger;
      a = larger;
      lead = ahead(next.m, current.m, momentum);
      q_lead = ahead(next.q, current.q, momentum);
      const bool settled = next.value == current.value;
      current = std::move(next);
      report.gap = gap(current);
      if (settled) break;
    }
    m = std::move(current.m);
    return report;
  }

 private:
  Point point(Matrix<double> m) const {
    Point at{std::move(m), {}, 0};
    at.q = problem_.apply(at.m);
    at.value = 0.5 * inner_product(at.m, at.q) - inner_product(at.m, *problem_.linear);
    return at;
  }

  double gap(const Point& at) const {
    Matrix<double> gradient = at.q;
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient.data()[i] -= problem_.linear->data()[i];
    return AtomSet{}.gap(gradient, at.m);
  }

  static Matrix<double> ahead(const Matrix<double>& next, const Matrix<double>& last, double momentum) {
    Matrix<double> lead = next;
    for (std::size_t i = 0; i < lead.size(); ++i) lead.data()[i] += momentum * (next.data()[i] - last.data()[i]);
    return lead;
  }

  // The minimiser in the ball of the gradient's plane at y plus 1/2 |c - y|^2 in the metric.
  Matrix<double> below(const Matrix<double>& y, const Matrix<double>& q) const {
    const Matrix<double>& v = metric_.top.vectors;
    const std::size_t count = metric_.top.values.size();
    const std::size_t d = y.cols();
    Matrix<double> out = y;  // rest y - gradient, outside of V
    for (std::size_t i = 0; i < out.size(); ++i)
      out.data()[i] = rest_ * y.data()[i] - q.data()[i] + problem_.linear->data()[i];
    Matrix<double> along = parallel_multiply_transposed(out.view(), v.view(), pool_);
    const Matrix<double> y_along = parallel_multiply_transposed(y.view(), v.view(), pool_);
    std::vector<double> values(count + 1, rest_);
    for (std::size_t i = 0; i < count; ++i) values[i] += metric_.top.values[i];
    pool_.run(y.rows(), [&](std::size_t k, std::size_t) {
      std::vector<double> linear(count + 1), solved(count + 1);
      double inside = 0;
      for (std::size_t i = 0; i < count; ++i) {
        inside += along(k, i) * along(k, i);
        linear[i] = along(k, i) + metric_.top.values[i] * y_along(k, i);
      }
      linear[count] = std::sqrt(std::max(0.0, squared_norm(out.row(k), d) - inside));
      solve_in_ball(values, linear.data(), 0, solved.data());
      const double outside = linear[count] > 0 ? solved[count] / linear[count] : 0.0;
      for (std::size_t j = 0; j < d; ++j) out(k, j) *= outside;
      for (std::size_t i = 0; i < count; ++i) along(k, i) = solved[i] - outside * along(k, i);
    });
    if (count > 0) parallel_multiply(along.view(), v.view(), out.view(), Into::kAdd, pool_);
    AtomSet{}.project(out);
    return out;
  }

  const BallQuadratic& problem_;
  const SpectralMetric& metric_;
  ThreadPool& pool_;
  double rest_;
};

}  // namespace

StepReport minimize_in_metric(const BallQuadratic& problem, const SpectralMetric& metric, const DescentLimits& limits,
                              Matrix<double>& m, ThreadPool& pool) {
  return Descent(problem, metric, pool).run(limits, m);
}

}  // namespace dualdict
