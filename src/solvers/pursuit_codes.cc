// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/pursuit_codes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/vectors.h"
#include "solvers/code_step.h"

namespace dualdict {
namespace {

// A pivot or a share of what is left below this is rounding.
template <class T>
constexpr T kRounding = 4 * std::numeric_limits<T>::epsilon();

// The place of the largest magnitude of a row.
template <class T>
std::size_t place_of(const T* row, T largest) {
  std::size_t j = 0;
  while (std::abs(row[j]) != largest) ++j;
  return j;
}

// One more row of L for the atom `next`; false when it depends on those before it.
template <class T>
bool add_row(const GreedyProblem<T>& problem, std::size_t next, std::size_t n, PursuitWorkspace<T>& work) {
  T* const row = work.factor.row(n);
  const T* const gram = problem.gram.row(next);
  T squared = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T* const above = work.factor.row(i);
    T sum = gram[work.chosen[i]];
    for (std::size_t k = 0; k < i; ++k) sum -= above[k] * row[k];
    row[i] = sum / above[i];
    squared += row[i] * row[i];
  }
  const T pivot = gram[next] - squared;
  if (!(pivot > kRounding<T> * gram[next])) return false;
  row[n] = std::sqrt(pivot);
  return true;
}

// Least squares on the n chosen atoms: forward has one more element than before, code is L'^-1 of it.
template <class T>
void solve_chosen(const T* linear, std::size_t n, PursuitWorkspace<T>& work) {
  const std::size_t last = n - 1;
  const T* const row = work.factor.row(last);
  T sum = linear[work.chosen[last]];
  for (std::size_t i = 0; i < last; ++i) sum -= row[i] * work.forward[i];
  work.forward[last] = sum / row[last];
  std::copy_n(work.forward.begin(), n, work.code.begin());
  for (std::size_t i = n; i-- > 0;) {
    const T* const below = work.factor.row(i);
    work.code[i] /= below[i];
    for (std::size_t k = 0; k < i; ++k) work.code[k] -= below[k] * work.code[i];
  }
}

// The number of atoms chosen.
template <class T>
std::size_t pursue(const GreedyProblem<T>& problem, const T* linear, std::size_t most, PursuitWorkspace<T>& work) {
  const std::size_t stride = problem.gram.cols();
  const Kernels<T>& kernel = kernels<T>();
  const T first = kernel.largest_magnitude(linear, problem.n_atoms);
  std::copy_n(linear, stride, work.rest.data());
  std::size_t n = 0;
  while (n < most) {
    const T largest = kernel.largest_magnitude(work.rest.data(), problem.n_atoms);
    if (!(largest > kRounding<T> * first) || !std::isfinite(largest)) break;
    const std::size_t next = place_of(work.rest.data(), largest);
    const auto end = work.chosen.begin() + static_cast<std::ptrdiff_t>(n);
    if (std::find(work.chosen.begin(), end, next) != end || !add_row(problem, next, n, work)) break;
    work.chosen[n++] = static_cast<std::uint32_t>(next);
    solve_chosen(linear, n, work);
    if (n == most) break;
    std::copy_n(linear, stride, work.rest.data());
    kernel.add_rows({.factors = work.code.data(),
                     .rows = work.chosen.data(),
                     .count = n,
                     .sign = T{-1},
                     .matrix = problem.gram.data(),
                     .stride = stride,
                     .out = work.rest.data(),
                     .n = stride});
  }
  return n;
}

}  // namespace

template <class T>
void PursuitWorkspace<T>::reserve(std::size_t n_atoms, std::size_t n_nonzeros) {
  if (rest.size() != padded(n_atoms)) {
    linear = Matrix<T>(kBlockSamples, padded(n_atoms));
    rest.assign(padded(n_atoms), T{0});
  }
  if (factor.rows() >= n_nonzeros) return;
  factor = Matrix<T>(n_nonzeros, n_nonzeros);
  forward.resize(n_nonzeros);
  code.resize(n_nonzeros + kWidestVector);
  chosen.resize(n_nonzeros + kWidestVector);
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
    for (std::size_t k = 0; k < n; ++k) u(i, work.chosen[k]) = work.code[k] * problem.inverse[work.chosen[k]];
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
