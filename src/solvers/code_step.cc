// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/code_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/vectors.h"

namespace dualdict {
namespace {

template <class T>
double largest_magnitude(const T* a, std::size_t n) {
  return static_cast<double>(kernels<T>().largest_magnitude(a, n));
}

// The unit of a code's KKT residual: tau/K, or the largest |b_j| when tau = 0.
template <class T>
double kkt_unit(const CodeProblem<T>& problem, const T* b) {
  return problem.lambda > 0 ? static_cast<double>(problem.lambda) : largest_magnitude(b, problem.objective.n_atoms);
}

// The residual at which a code is done: what the options ask for, but no less than rounding leaves. With a tiny tau the
// wanted fraction of it lies below the last digit of b, and descent would sweep for ever.
template <class T>
double done_residual(const CodeProblem<T>& problem, const CodeOptions& options, const T* b) {
  constexpr double kRounding = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double largest = largest_magnitude(b, problem.objective.n_atoms);
  const double unit = problem.lambda > 0 ? static_cast<double>(problem.lambda) : largest;
  return std::max(options.tolerance * unit, kRounding * largest);
}

template <class T>
double kkt_residual(const CodeProblem<T>& problem, const T* u, const T* r) {
  T worst = 0;
  const bool positive = problem.objective.positive_codes;
  for (std::size_t j = 0; j < problem.objective.n_atoms; ++j) {
    if (problem.inverse_diagonal[j] == T{0}) continue;
    T residual = std::max(T{0}, (positive ? r[j] : std::abs(r[j])) - problem.lambda);
    if (u[j] != T{0}) residual = std::abs(r[j] - (u[j] > 0 ? problem.lambda : -problem.lambda));
    worst = std::max(worst, residual);
  }
  return static_cast<double>(worst);
}

template <class T>
bool is_zero(const T* u, std::size_t n) {
  return std::all_of(u, u + n, [](T value) { return value == T{0}; });
}

// r = b - Hu.
template <class T>
void refresh_residual(const CodeProblem<T>& problem, MatrixView<T> u, CodeWorkspace<T>& work) {
  for (std::size_t i = 0; i < u.rows; ++i) std::copy_n(work.linear.row(i), u.cols, work.residual.row(i));
  multiply_sparse<T>(u, problem.packed_gram, Into::kSubtract, work.used, work.residual.view().row_range(0, u.rows));
}

// A zero atom that nothing else holds (H_jj = 0) only costs: its coefficient goes, and no sweep needs to look at it.
template <class T>
void drop_zero_atoms(const CodeProblem<T>& problem, MatrixView<T> u) {
  for (std::size_t j = 0; j < u.cols; ++j)
    if (problem.inverse_diagonal[j] == T{0})
      for (std::size_t i = 0; i < u.rows; ++i) u(i, j) = T{0};
}

template <class T>
void codes_by_descent(const CodeProblem<T>& problem, const CodeOptions& options, CodeWorkspace<T>& work,
                      MatrixView<T> u, CodeReport& report) {
  const Kernels<T>& kernel = kernels<T>();
  drop_zero_atoms(problem, u);
  refresh_residual(problem, u, work);
  T* const code = work.code.data();
  for (std::size_t i = 0; i < u.rows; ++i) {
    const T* b = work.linear.row(i);
    std::copy_n(u.row(i), u.cols, code);
    const double unit = kkt_unit(problem, b);
    const auto tolerance = static_cast<T>(done_residual(problem, options, b));
    const DescentReport<T> descent = kernel.descend({.gram = problem.gram.data(),
                                                     .gram_stride = problem.gram.cols(),
                                                     .diagonal = problem.diagonal.data(),
                                                     .inverse_diagonal = problem.inverse_diagonal.data(),
                                                     .n = work.code.size(),
                                                     .lambda = problem.lambda,
                                                     .positive = problem.objective.positive_codes,
                                                     .from_zero = is_zero(u.row(i), u.cols),
                                                     .tolerance = tolerance,
                                                     .max_sweeps = options.max_sweeps,
                                                     .list = work.list.data(),
                                                     .u = code,
                                                     .r = work.residual.row(i),
                                                     .active = {.limit = options.active_set ? work.slots.size() : 0,
                                                                .slots = work.slots.data(),
                                                                .numbers = work.active.data(),
                                                                .sweeps_first = problem.sweeps_fast},
                                                     .relaxation = static_cast<T>(options.relaxation)});
    std::copy_n(code, u.cols, u.row(i));
    report.sweeps += descent.sweeps;
    report.unfinished += descent.kkt > tolerance ? 1 : 0;
    if (unit > 0) report.max_kkt = std::max(report.max_kkt, static_cast<double>(descent.kkt) / unit);
  }
}

template <class T>
void codes_in_closed_form(const CodeProblem<T>& problem, MatrixView<const T> x, CodeWorkspace<T>& work,
                          MatrixView<T> u) {
  multiply<T>(plain(x), problem.direct, u);
  refresh_residual(problem, u, work);
}

template <class T>
CodeSums summarise(const CodeProblem<T>& problem, const T* u, const T* b, const T* r) {
  const Objective& objective = problem.objective;
  return kernels<T>().summarise(u, b, r, objective.n_atoms, problem.lambda, objective.positive_codes);
}

// With rho = y - Au and s = min(1, lambda/|r|_inf), theta = s rho is dual feasible and
//   P(u) - D(theta) = 1/2 (1 - s)^2 |rho|^2 + (lambda |u|_1 - s u'r),
// two terms that are never negative. When tau = 0 the problem is m-strongly convex: P(u) - min P <= |r|^2 / 2m.
template <class T>
double gap_from_sums(const CodeProblem<T>& problem, const CodeSums& sums, const T* r, double squared_sample) {
  const auto lambda = static_cast<double>(problem.lambda);
  if (lambda == 0 && problem.smallest_curvature > 0 && !problem.objective.positive_codes)
    return squared_norm(r, problem.objective.n_atoms) / problem.smallest_curvature;
  const double s = sums.pull > lambda ? lambda / sums.pull : 1.0;
  const double squared_rho = std::max(0.0, problem.squared_scale * squared_sample - sums.ub - sums.ur);
  return (1 - s) * (1 - s) * squared_rho + 2 * sums.slack;
}

}  // namespace

void CodeReport::add(const CodeReport& other) {
  gap += other.gap;
  max_kkt = std::max(max_kkt, other.max_kkt);
  unfinished += other.unfinished;
  sum_abs += other.sum_abs;
  squared_samples += other.squared_samples;
  strongest_pull = std::max(strongest_pull, other.strongest_pull);
  nonzeros += other.nonzeros;
  sweeps += other.sweeps;
}

template <class T>
void CodeWorkspace<T>::reserve(std::size_t n_atoms, CodeMethod method) {
  if (list.size() != padded(n_atoms) || code.size() != padded(n_atoms)) {
    linear = Matrix<T>(kBlockSamples, padded(n_atoms));
    residual = Matrix<T>(kBlockSamples, padded(n_atoms));
    code.assign(padded(n_atoms), T{0});
    gap.resize(kBlockSamples);
    energy.resize(kBlockSamples);
    list.resize(padded(n_atoms));
    slots.resize(std::min(n_atoms, kActiveLimit));
    active.resize(active_workspace(slots.size(), padded(n_atoms)));
  }
  if (method == CodeMethod::kFista && lead.cols() != n_atoms) {
    lead = Matrix<T>(kBlockSamples, n_atoms);
    previous = Matrix<T>(kBlockSamples, n_atoms);
    momentum.resize(kBlockSamples);
    done.resize(kBlockSamples);
  }
}

template <class T>
std::size_t codes_by_fista(const CodeProblem<T>& problem, double curvature, const CodeOptions& options,
                           CodeWorkspace<T>& work, MatrixView<T> u) {
  const std::size_t n = u.rows;
  const auto step = static_cast<T>(1 / curvature);
  const T threshold = problem.lambda * step;
  const bool positive = problem.objective.positive_codes;
  for (std::size_t i = 0; i < n; ++i) std::copy_n(u.row(i), u.cols, work.lead.row(i));
  std::fill_n(work.momentum.begin(), n, 1.0);
  std::fill_n(work.done.begin(), n, char{0});
  const MatrixView<T> lead = work.lead.view().row_range(0, n);
  std::size_t iteration = 0;
  for (; iteration < options.max_sweeps; ++iteration) {
    refresh_residual(problem, lead, work);
    bool done = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (work.done[i] != 0) continue;  // a code depends on its own sample alone, not on who else is still moving
      T* current = u.row(i);
      T* phi = lead.row(i);
      T* previous = work.previous.row(i);
      const T* r = work.residual.row(i);
      std::copy_n(current, u.cols, previous);
      double uphill = 0;
      double moved = 0;
      for (std::size_t j = 0; j < u.cols; ++j) {
        current[j] = soft_threshold(phi[j] + step * r[j], threshold, positive);
        uphill += static_cast<double>(phi[j] - current[j]) * static_cast<double>(current[j] - previous[j]);
        moved += static_cast<double>(current[j] - phi[j]) * static_cast<double>(current[j] - phi[j]);
      }
      // The length of a proximal step's move v bounds every KKT residual: |curvature v - H v|_inf <= 2 curvature |v|.
      const double tolerance = done_residual(problem, options, work.linear.row(i));
      work.done[i] = 2 * curvature * std::sqrt(moved) > tolerance ? 0 : 1;
      done = done && work.done[i] != 0;
      double& a = work.momentum[i];
      if (uphill > 0) a = 1;
      const double next = (1 + std::sqrt(1 + 4 * a * a)) / 2;
      const auto weight = static_cast<T>((a - 1) / next);
      for (std::size_t j = 0; j < u.cols; ++j) phi[j] = current[j] + weight * (current[j] - previous[j]);
      a = next;
    }
    if (done) break;
  }
  refresh_residual(problem, u, work);
  return iteration;
}

namespace {

// E of each code without its constant, 2 lambda |u|_1 - u'(b + r).
template <class T>
double code_energy(const CodeProblem<T>& problem, const T* u, const T* b, const T* r) {
  double value = 0;
  for (std::size_t j = 0; j < problem.objective.n_atoms; ++j) {
    const auto uj = static_cast<double>(u[j]);
    value += 2 * static_cast<double>(problem.lambda) * std::abs(uj) -
             uj * (static_cast<double>(b[j]) + static_cast<double>(r[j]));
  }
  return value;
}

// FISTA is not monotone: a code that ended above its start, by more than rounding, goes back to it.
template <class T>
std::size_t codes_by_guarded_fista(const CodeProblem<T>& problem, const CodeOptions& options, CodeWorkspace<T>& work,
                                   MatrixView<T> u) {
  Matrix<T> start(u.rows, u.cols);
  std::vector<double> energy(u.rows);
  refresh_residual(problem, u, work);
  for (std::size_t i = 0; i < u.rows; ++i) {
    std::copy_n(u.row(i), u.cols, start.row(i));
    energy[i] = code_energy(problem, u.row(i), work.linear.row(i), work.residual.row(i));
  }
  const std::size_t iterations = codes_by_fista(problem, problem.largest_curvature, options, work, u);
  bool reverted = false;
  for (std::size_t i = 0; i < u.rows; ++i) {
    const double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::abs(energy[i]);
    if (code_energy(problem, u.row(i), work.linear.row(i), work.residual.row(i)) <= energy[i] + rounding) continue;
    std::copy_n(start.row(i), u.cols, u.row(i));
    reverted = true;
  }
  if (reverted) refresh_residual(problem, u, work);
  return iterations;
}

}  // namespace

template <class T>
CodeReport code_step(const CodeProblem<T>& problem, MatrixView<const T> x, const CodeOptions& options,
                     CodeWorkspace<T>& work, MatrixView<T> u) {
  CodeReport report;
  work.reserve(problem.objective.n_atoms, options.method);
  multiply<T>(plain(x), problem.weights, work.linear.view().row_range(0, x.rows));
  if (options.method == CodeMethod::kFista) {
    report.sweeps = codes_by_guarded_fista(problem, options, work, u);
  } else if (problem.has_direct) {
    codes_in_closed_form(problem, x, work, u);
  } else {
    codes_by_descent(problem, options, work, u, report);
  }
  for (std::size_t i = 0; i < x.rows; ++i) {
    const T* b = work.linear.row(i);
    const T* r = work.residual.row(i);
    const CodeSums sums = summarise(problem, u.row(i), b, r);
    const double squared_sample = kernels<T>().squared_norm(x.row(i), x.cols);
    work.gap[i] = gap_from_sums(problem, sums, r, squared_sample);
    work.energy[i] =
        squared_sample / problem.objective.d() + 2 * problem.objective.lambda() * sums.abs - sums.ub - sums.ur;
    report.gap += work.gap[i];
    report.sum_abs += sums.abs;
    report.squared_samples += squared_sample;
    report.strongest_pull = std::max(report.strongest_pull, sums.start);
    report.nonzeros += sums.nonzeros;
    if (options.method == CodeMethod::kDescent && !problem.has_direct) continue;
    const double unit = kkt_unit(problem, b);
    const double kkt = kkt_residual(problem, u.row(i), r);
    // FISTA stops by a bound of the residual that rounding can make a little too small.
    if (!problem.has_direct && kkt > 2 * done_residual(problem, options, b)) ++report.unfinished;
    if (unit > 0) report.max_kkt = std::max(report.max_kkt, kkt / unit);
  }
  return report;
}

#define DUALDICT_INSTANTIATE(T)                                                                                       \
  template struct CodeWorkspace<T>;                                                                                   \
  template CodeReport code_step<T>(const CodeProblem<T>&, MatrixView<const T>, const CodeOptions&, CodeWorkspace<T>&, \
                                   MatrixView<T>);                                                                    \
  template std::size_t codes_by_fista<T>(const CodeProblem<T>&, double, const CodeOptions&, CodeWorkspace<T>&,        \
                                         MatrixView<T>);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
