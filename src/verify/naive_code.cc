// SPDX-License-Identifier: BSD-3-Clause
#include "verify/naive_code.h"

#include <algorithm>
#include <cmath>

namespace dualdict::naive {
namespace {

constexpr double kGap = 1e-9;        // a code is done when its duality gap <= kGap times its energy
constexpr double kKkt = 1e-3;        // and its KKT residual <= kKkt times lambda;
constexpr double kDenseKkt = 1e-10;  // with tau = 0 when its KKT residual <= kDenseKkt times the largest |b_j|
// Bounds of the work on one code. With tau = 0 sweeps are dense, and a singular H may converge as slowly as it likes.
constexpr std::size_t kMaxSweeps = 5000;
constexpr std::size_t kMaxDenseSweeps = 1000;
// A code that took so many sweeps is helped by steps on its face, so many at a time; then b - Hu is computed afresh,
// so that rounding does not build up in it.
constexpr std::size_t kFaceSweeps = 32;
constexpr std::size_t kFaceSteps = 16;

Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

void find_linear_term(const CodeProblem& p, const double* x, Code& w) {
  std::fill(w.b.begin(), w.b.end(), 0.0);
  std::fill(w.predicted.begin(), w.predicted.end(), 0.0);
  double* b = w.b.data();
  double* predicted = w.predicted.data();
  for (std::size_t f = 0; f < p.n_features; ++f) {
    const double* atom_values = p.atom_columns.row(f);
    const double* filter_values = p.filter_columns.row(f);
    for (std::size_t j = 0; j < p.n_atoms; ++j) b[j] += x[f] * atom_values[j];
    for (std::size_t j = 0; j < p.n_atoms; ++j) predicted[j] += x[f] * filter_values[j];
  }
  for (std::size_t j = 0; j < p.n_atoms; ++j) b[j] = b[j] / static_cast<double>(p.n_features) + p.coding * predicted[j];
}

void refresh(const CodeProblem& p, Code& w) {
  w.r = w.b;
  double* r = w.r.data();
  for (std::size_t i = 0; i < p.n_atoms; ++i) {
    if (w.u[i] == 0) continue;
    const double* row = p.hessian.row(i);
    for (std::size_t j = 0; j < p.n_atoms; ++j) r[j] -= w.u[i] * row[j];
  }
}

// One pass over all coordinates. Returns the largest change of a gradient entry's own coordinate, H_jj |move|.
double sweep(const CodeProblem& p, Code& w) {
  double largest = 0;
  double* r = w.r.data();
  for (std::size_t i = 0; i < p.n_atoms; ++i) {
    const double* row = p.hessian.row(i);
    if (!(row[i] > 0)) continue;  // a zero atom without any l2 weight: its coefficient stays 0
    const double z = r[i] + row[i] * w.u[i];
    double next = 0;
    if (z > p.lambda) next = (z - p.lambda) / row[i];
    if (z < -p.lambda && !p.positive) next = (z + p.lambda) / row[i];
    const double move = next - w.u[i];
    if (move == 0) continue;
    w.u[i] = next;
    for (std::size_t j = 0; j < p.n_atoms; ++j) r[j] -= move * row[j];
    largest = std::max(largest, row[i] * std::abs(move));
  }
  return largest;
}

// How far the subdifferential at coordinate j is from holding 0.
double violation(const CodeProblem& p, const Code& w, std::size_t j) {
  const double u = w.u[j];
  const double r = w.r[j];
  if (u > 0) return std::abs(r - p.lambda);
  if (u < 0) return std::abs(r + p.lambda);
  return std::max(0.0, (p.positive ? r : std::abs(r)) - p.lambda);
}

// Where a step along `direction` (over the support) first brings a coefficient to zero; `index` is its place in the
// support. Infinite when signs do not matter or none is reached.
double first_crossing(const CodeProblem& p, const Code& w, const std::vector<std::size_t>& support,
                      const std::vector<double>& direction, std::size_t& index) {
  double first = INFINITY;
  if (p.lambda == 0 && !p.positive) return first;
  for (std::size_t i = 0; i < support.size(); ++i) {
    const double u = w.u[support[i]];
    if (u * direction[i] >= 0 || -u / direction[i] >= first) continue;
    first = -u / direction[i];
    index = i;
  }
  return first;
}

// Rows [0, n) of the upper Cholesky factor of H on the support. Returns n, less than the size of the support when the
// next pivot, then `pivot`, is nothing but rounding: that coordinate depends on those before it.
std::size_t factorise(const CodeProblem& p, const std::vector<std::size_t>& support, Matrix<double>& factor,
                      double& pivot) {
  const std::size_t size = support.size();
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i; j < size; ++j) factor(i, j) = p.hessian(support[i], support[j]);
  for (std::size_t k = 0; k < size; ++k) {
    double* top = factor.row(k);
    pivot = top[k];
    if (!(pivot > 1e-12 * p.hessian(support[k], support[k]))) return k;
    const double root = std::sqrt(pivot);
    for (std::size_t j = k; j < size; ++j) top[j] /= root;
    for (std::size_t i = k + 1; i < size; ++i) {
      double* row = factor.row(i);
      const double weight = top[i];
      for (std::size_t j = i; j < size; ++j) row[j] -= weight * top[j];
    }
  }
  return size;
}

// Solves with the first n rows of the factor, in place.
void solve(const Matrix<double>& factor, std::size_t n, std::vector<double>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    x[i] /= factor(i, i);
    for (std::size_t k = i + 1; k < n; ++k) x[k] -= factor(i, k) * x[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= factor(i, k) * x[k];
    x[i] /= factor(i, i);
  }
}

// Coordinate descent crawls where atoms are nearly dependent. While the signs of the nonzeros stay, the problem is
// quadratic: go to its minimum, or, when H is singular there, along a null direction that does not climb; in both cases
// no further than to the first coefficient that becomes zero. Returns whether another step may help.
bool step_on_face(const CodeProblem& p, Code& w) {
  std::vector<std::size_t> support;
  std::vector<double> direction;
  for (std::size_t j = 0; j < p.n_atoms; ++j) {
    if (w.u[j] == 0) continue;
    support.push_back(j);
    direction.push_back(w.r[j] - (w.u[j] > 0 ? p.lambda : -p.lambda));
  }
  Matrix<double> factor(support.size(), support.size());
  double pivot = 0;
  double length = 1;
  const std::size_t n = factorise(p, support, factor, pivot);
  if (n == support.size()) {
    solve(factor, n, direction);
  } else {
    const std::vector<double> descent = direction;
    std::fill(direction.begin(), direction.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) direction[i] = -p.hessian(support[i], support[n]);
    solve(factor, n, direction);
    direction[n] = 1;
    double slope = 0;
    for (std::size_t i = 0; i <= n; ++i) slope += descent[i] * direction[i];
    if (slope < 0)
      for (double& value : direction) value = -value;
    length = pivot > 0 ? std::abs(slope) / pivot : INFINITY;
  }
  std::size_t crossing = 0;
  const double limit = first_crossing(p, w, support, direction, crossing);
  length = std::min(length, limit);
  if (!std::isfinite(length)) return false;
  for (std::size_t i = 0; i < support.size(); ++i) w.u[support[i]] += length * direction[i];
  if (length == limit) w.u[support[crossing]] = 0;
  refresh(p, w);
  return length == limit;
}

// |rho|^2 = |y|^2 - u'(b + r) cancels, but is good enough to stop by.
bool is_done(const CodeProblem& p, const Code& w, double squared_y, double largest_b) {
  if (p.lambda == 0) return max_violation(p, w) <= kDenseKkt * largest_b;
  if (max_violation(p, w) > kKkt * p.lambda) return false;
  double squared_rho = squared_y;
  for (std::size_t j = 0; j < p.n_atoms; ++j) squared_rho -= w.u[j] * (w.b[j] + w.r[j]);
  squared_rho = std::max(0.0, squared_rho);
  return duality_gap(p, w, squared_rho) <= kGap * (squared_rho + 2 * p.lambda * sum_abs(w.u));
}

}  // namespace

CodeProblem make_problem(const ModelParts& parts) {
  CodeProblem p;
  p.n_atoms = parts.dictionary.rows();
  p.n_features = parts.dictionary.cols();
  const auto k = static_cast<double>(p.n_atoms);
  p.lambda = parts.tau / k;
  p.coding = parts.eta / k;
  p.l2 = parts.mu / k;
  p.ridge = (parts.eta + parts.mu) / k;
  p.positive = parts.positive_codes;
  p.atoms = parts.dictionary;
  p.atom_columns = transposed(parts.dictionary);
  p.filter_columns = transposed(parts.dual);
  p.hessian = Matrix<double>(p.n_atoms, p.n_atoms);
  for (std::size_t i = 0; i < p.n_atoms; ++i) {
    double* row = p.hessian.row(i);
    for (std::size_t f = 0; f < p.n_features; ++f)
      for (std::size_t j = 0; j < p.n_atoms; ++j) row[j] += p.atoms(i, f) * p.atom_columns(f, j);
    for (std::size_t j = 0; j < p.n_atoms; ++j) row[j] /= static_cast<double>(p.n_features);
    row[i] += p.ridge;
  }
  return p;
}

Code make_code(const CodeProblem& p) {
  Code code;
  for (auto* values : {&code.b, &code.predicted, &code.u, &code.r}) values->resize(p.n_atoms);
  return code;
}

double max_violation(const CodeProblem& p, const Code& w) {
  double worst = 0;
  for (std::size_t j = 0; j < p.n_atoms; ++j) worst = std::max(worst, violation(p, w, j));
  return worst;
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double sum_abs(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

// The duality gap in the units of E. The problem is a lasso on y = [x/sqrt d; sqrt(eta/K) C x; 0] with
// A = [D/sqrt d; sqrt(eta/K) I; sqrt(mu/K) I] (the last two blocks only when their weight is not 0). With rho = y - Au,
// A'rho = r and s = min(1, lambda/|r|_inf), s rho is dual feasible, and the gap is
//   (1 - s)^2 |rho|^2 + 2 (lambda |u|_1 - s u'r).
// H >= ridge I gives a second bound, |violations|^2 / ridge, the only useful one when tau = 0. The smaller one counts.
double duality_gap(const CodeProblem& p, const Code& w, double squared_rho) {
  double pull = 0;
  double ur = 0;
  double squared_violation = 0;
  for (std::size_t j = 0; j < p.n_atoms; ++j) {
    pull = std::max(pull, p.positive ? w.r[j] : std::abs(w.r[j]));
    ur += w.u[j] * w.r[j];
    const double v = violation(p, w, j);
    squared_violation += v * v;
  }
  const double s = pull > p.lambda ? p.lambda / pull : 1.0;
  const double lasso = (1 - s) * (1 - s) * squared_rho + 2 * std::max(0.0, p.lambda * sum_abs(w.u) - s * ur);
  return p.ridge > 0 ? std::min(lasso, squared_violation / p.ridge) : lasso;
}

void find_code(const CodeProblem& p, const double* sample, Code& w) {
  find_linear_term(p, sample, w);
  double squared_y = 0;
  for (std::size_t f = 0; f < p.n_features; ++f) squared_y += sample[f] * sample[f];
  squared_y /= static_cast<double>(p.n_features);
  for (const double value : w.predicted) squared_y += p.coding * value * value;
  std::fill(w.u.begin(), w.u.end(), 0.0);
  w.r = w.b;
  const double largest_b = largest_magnitude(w.b);
  const std::size_t max_sweeps = p.lambda > 0 ? kMaxSweeps : kMaxDenseSweeps;
  for (std::size_t n = 1; n <= max_sweeps; ++n) {
    const double moved = sweep(p, w);
    // Moves below the rounding of b lead nowhere; the certificate tells how good the code is.
    if (moved <= 1e-16 * largest_b || is_done(p, w, squared_y, largest_b)) break;
    if (n % kFaceSweeps != 0) continue;
    refresh(p, w);
    for (std::size_t step = 0; step < kFaceSteps; ++step)
      if (!step_on_face(p, w)) break;
  }
  refresh(p, w);
}

}  // namespace dualdict::naive
