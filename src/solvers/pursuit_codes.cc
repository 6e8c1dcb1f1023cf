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

// The number of atoms chosen.
template <class T>
std::size_t pursue(const GreedyProblem<T>& problem, const T* linear, std::size_t most, PursuitWorkspace<T>& work) {
  const Kernels<T>& kernel = kernels<T>();
  std::copy_n(linear, work.rest.size(), work.rest.data());
  T first = 0;
  std::size_t n = 0;
  while (n < most) {
    const T largest = kernel.largest_magnitude(work.rest.data(), work.rest.size());
    if (n == 0) first = largest;
    if (!(largest > kRounding<T> * first) || !std::isfinite(largest)) break;
    const std::size_t next = place_of(work.rest.data(), largest);
    const auto end = work.chosen.begin() + static_cast<std::ptrdiff_t>(n);
    if (std::find(work.chosen.begin(), end, next) != end || !add_direction(problem, next, n, work)) break;
    work.chosen[n] = static_cast<std::uint32_t>(next);
    take_out(n++, work);
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
void pursuit_codes(const GreedyProblem<T>& problem, MatrixView<const T> x, std::size_t n_nonzeros,
                   PursuitWorkspace<T>& work, MatrixView<T> u) {
  const std::size_t most = std::min({n_nonzeros, problem.n_atoms, problem.n_features});
  work.reserve(problem.n_atoms, most);
  linear_part(problem, x, MatrixView<T>(work.linear.data(), x.rows, problem.n_atoms, work.linear.cols()));
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::size_t n = pursue(problem, work.linear.row(i), most, work);
    std::fill_n(u.row(i), problem.n_atoms, T{0});
    for (std::size_t k = 0; k < n; ++k) u(i, work.chosen[k]) = work.along[k] * problem.inverse[work.chosen[k]];
  }
}

#define DUALDICT_INSTANTIATE(T)                                                                                   \
  template struct PursuitWorkspace<T>;                                                                            \
  template void pursuit_codes<T>(const GreedyProblem<T>&, MatrixView<const T>, std::size_t, PursuitWorkspace<T>&, \
                                 MatrixView<T>);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
