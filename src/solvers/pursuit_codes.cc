// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/pursuit_codes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/vectors.h"
#include "solvers/code_step.h"

namespace dualdict {
namespace {

// A pivot or a share of what is left below this is rounding.
template <class T>
constexpr T kRounding = 4 * std::numeric_limits<T>::epsilon();

// The place of the largest magnitude of a padded row, looked for by whole vectors.
template <class T>
std::size_t place_of(const T* row, T largest) {
  std::size_t j = 0;
  for (;; j += kWidestVector) {
    bool here = false;
    for (std::size_t lane = 0; lane < kWidestVector; ++lane) here |= std::abs(row[j + lane]) == largest;
    if (here) break;
  }
  while (std::abs(row[j]) != largest) ++j;
  return j;
}

// out -= the sum of the first `count` factors times the rows of `directions` from `first` on.
template <class T>
void subtract_directions(const PursuitWorkspace<T>& work, std::size_t first, std::size_t count, const T* factors,
                         T* out) {
  kernels<T>().add_rows({.factors = factors,
                         .rows = work.order.data() + first,
                         .count = count,
                         .sign = T{-1},
                         .matrix = work.directions.data(),
                         .stride = work.directions.cols(),
                         .out = out,
                         .n = work.directions.cols()});
}

// What the atom `next` has beyond the n chosen ones; false when it depends on them.
template <class T>
bool add_direction(const GreedyProblem<T>& problem, std::size_t next, std::size_t n, PursuitWorkspace<T>& work) {
  T* const factor = work.factor.row(n);
  for (std::size_t i = 0; i < n; ++i) factor[i] = work.directions(i, next) / work.pivot[i];
  T* const direction = work.directions.row(n);
  std::copy_n(problem.gram.row(next), problem.gram.cols(), direction);
  subtract_directions(work, 0, n, factor, direction);
  work.pivot[n] = direction[next];
  return work.pivot[n] > kRounding<T> * problem.gram(next, next);
}

// Takes the n-th direction out of what is left.
template <class T>
void take_out(std::size_t n, PursuitWorkspace<T>& work) {
  work.along[n] = work.rest[work.chosen[n]] / work.pivot[n];
  subtract_directions(work, n, 1, work.along.data() + n, work.rest.data());
}

// Least squares on the n chosen atoms: L' code = along, in the place of `along`.
template <class T>
void solve_chosen(std::size_t n, PursuitWorkspace<T>& work) {
  for (std::size_t i = n; i-- > 0;) {
    const T* const row = work.factor.row(i);
    for (std::size_t k = 0; k < i; ++k) work.along[k] -= row[k] * work.along[i];
  }
}

// What ends the pursuit of one sample.
template <class T>
struct PursuitEnd {
  const T* x = nullptr;
  std::size_t most = 0;
  double squared_error = 0;  // 0: none is small enough
  const Matrix<T>* dictionary = nullptr;
};

// |x - b - D u|^2 of least squares on the n chosen atoms, from the sample itself: differences of squares would be
// rounding where little is left.
template <class T>
double measured_error(const GreedyProblem<T>& problem, const PursuitEnd<T>& end, std::size_t n,
                      PursuitWorkspace<T>& work) {
  work.tried.assign(work.along.begin(), work.along.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t k = 0; k < i; ++k) work.tried[k] -= static_cast<double>(work.factor(i, k)) * work.tried[i];
  work.remains.assign(end.x, end.x + problem.n_features);
  for (std::size_t f = 0; f < problem.bias.size(); ++f) work.remains[f] -= problem.bias[f];
  for (std::size_t i = 0; i < n; ++i) {
    const T* const atom = end.dictionary->row(work.chosen[i]);
    // As the code will have it, rounded.
    const auto value = static_cast<double>(static_cast<T>(work.tried[i]) * problem.inverse[work.chosen[i]]);
    for (std::size_t f = 0; f < problem.n_features; ++f) work.remains[f] -= value * static_cast<double>(atom[f]);
  }
  return squared_norm(work.remains.data(), work.remains.size());
}

// The error falls by along^2 pivot with each atom; when that says that it is small enough, it is measured.
template <class T>
class ErrorBound {
 public:
  ErrorBound(const GreedyProblem<T>& problem, const PursuitEnd<T>& end, PursuitWorkspace<T>& work)
      : problem_(problem), end_(end), work_(work) {
    if (end_.squared_error > 0) left_ = measured_error(problem_, end_, 0, work_);
  }
  bool is_met() const { return end_.squared_error > 0 && left_ <= end_.squared_error; }
  // After atom n was taken out.
  void add(std::size_t n) {
    if (!(end_.squared_error > 0)) return;
    const auto along = static_cast<double>(work_.along[n]);
    left_ -= along * along * static_cast<double>(work_.pivot[n]);
    if (left_ <= end_.squared_error * kNear) left_ = measured_error(problem_, end_, n + 1, work_);
  }

 private:
  static constexpr double kNear = 1.01;
  const GreedyProblem<T>& problem_;
  const PursuitEnd<T>& end_;
  PursuitWorkspace<T>& work_;
  double left_ = 0;
};

// The number of atoms chosen.
template <class T>
std::size_t pursue(const GreedyProblem<T>& problem, const T* linear, const PursuitEnd<T>& end,
                   PursuitWorkspace<T>& work) {
  const Kernels<T>& kernel = kernels<T>();
  std::copy_n(linear, work.rest.size(), work.rest.data());
  T first = 0;
  std::size_t n = 0;
  ErrorBound<T> bound(problem, end, work);
  while (n < end.most && !bound.is_met()) {
    const T largest = kernel.largest_magnitude(work.rest.data(), work.rest.size());
    if (n == 0) first = largest;
    if (!(largest > kRounding<T> * first) || !std::isfinite(largest)) break;
    const std::size_t next = place_of(work.rest.data(), largest);
    const auto last = work.chosen.begin() + static_cast<std::ptrdiff_t>(n);
    if (std::find(work.chosen.begin(), last, next) != last || !add_direction(problem, next, n, work)) break;
    work.chosen[n] = static_cast<std::uint32_t>(next);
    take_out(n, work);
    bound.add(n++);
  }
  solve_chosen(n, work);
  return n;
}

}  // namespace

template <class T>
void PursuitWorkspace<T>::reserve(std::size_t n_atoms, std::size_t n_nonzeros) {
  if (rest.size() == padded(n_atoms) && factor.rows() >= n_nonzeros) return;
  linear = Matrix<T>(kBlockSamples, padded(n_atoms));
  rest.assign(padded(n_atoms), T{0});
  directions = Matrix<T>(n_nonzeros, padded(n_atoms));
  factor = Matrix<T>(n_nonzeros, padded(n_nonzeros));
  along.resize(n_nonzeros);
  pivot.resize(n_nonzeros);
  chosen.resize(n_nonzeros);
  order.resize(n_nonzeros + kWidestVector);
  std::iota(order.begin(), order.end(), 0U);
}

template <class T>
void pursuit_codes(const GreedyProblem<T>& problem, MatrixView<const T> x, const PursuitOptions<T>& options,
                   PursuitWorkspace<T>& work, MatrixView<T> u) {
  const std::size_t most = std::min({options.n_nonzeros, problem.n_atoms, problem.n_features});
  work.reserve(problem.n_atoms, most);
  linear_part(problem, x, MatrixView<T>(work.linear.data(), x.rows, problem.n_atoms, work.linear.cols()));
  for (std::size_t i = 0; i < x.rows; ++i) {
    const PursuitEnd<T> end{x.row(i), most, options.max_error * options.max_error, options.dictionary};
    const std::size_t n = pursue(problem, work.linear.row(i), end, work);
    std::fill_n(u.row(i), problem.n_atoms, T{0});
    for (std::size_t k = 0; k < n; ++k) u(i, work.chosen[k]) = work.along[k] * problem.inverse[work.chosen[k]];
  }
}

#define DUALDICT_INSTANTIATE(T)                                                                          \
  template struct PursuitWorkspace<T>;                                                                   \
  template void pursuit_codes<T>(const GreedyProblem<T>&, MatrixView<const T>, const PursuitOptions<T>&, \
                                 PursuitWorkspace<T>&, MatrixView<T>);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
