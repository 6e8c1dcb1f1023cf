// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/hard_codes.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "linalg/kernels/l0_kernels.h"

namespace dualdict {

template <class T>
void HardProblem<T>::assign(MatrixView<const double> weights_in, std::span<const double> bias_in, double threshold_in,
                            bool positive_in) {
  weights.pack_transposed(convert<T>(weights_in).view());
  bias.assign(weights_in.rows, T{0});
  for (std::size_t k = 0; k < bias_in.size(); ++k) bias[k] = static_cast<T>(bias_in[k]);
  threshold = static_cast<T>(threshold_in);
  positive = positive_in;
}

namespace {

// z + b in the place of z, cut at each atom's own threshold.
template <class T>
void keep_above_own(const HardProblem<T>& problem, T* z, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const T value = z[k] + problem.bias[k];
    const T size = problem.positive ? value : std::abs(value);
    z[k] = size > problem.own_thresholds[k] ? value : T{0};
  }
}

template <class T>
void keep_largest(const HardProblem<T>& problem, std::size_t count, std::vector<T>& sizes, T* z, std::size_t n) {
  sizes.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    z[k] += problem.bias[k];
    sizes[k] = problem.positive ? std::max(z[k], T{0}) : std::abs(z[k]);
  }
  if (count >= n) {
    for (std::size_t k = 0; k < n; ++k)
      if (problem.positive) z[k] = std::max(z[k], T{0});
    return;
  }
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count - 1), sizes.end(),
                   std::greater<>());
  const T last = sizes[count - 1];
  // Those above the last are fewer than `count`; what is left goes to the first that equal it.
  std::size_t equal = 0;
  for (std::size_t k = 0; k < count; ++k) equal += sizes[k] == last ? 1 : 0;
  for (std::size_t k = 0; k < n; ++k) {
    const T size = problem.positive ? std::max(z[k], T{0}) : std::abs(z[k]);
    const bool takes_equal = size == last && equal > 0;
    if (takes_equal) --equal;
    if (!(size > last) && !takes_equal) z[k] = T{0};
    if (problem.positive) z[k] = std::max(z[k], T{0});
  }
}

// How many rows have codes that are still in the cache when they are cut.
constexpr std::size_t kHardRows = 64;

}  // namespace

template <class T>
void largest_codes(const HardProblem<T>& problem, std::size_t count, MatrixView<const T> x, std::vector<T>& work,
                   MatrixView<T> u) {
  for (std::size_t first = 0; first < x.rows; first += kHardRows) {
    const MatrixView<T> part = u.row_range(first, std::min(kHardRows, x.rows - first));
    multiply<T>(plain(x.row_range(first, part.rows)), problem.weights, part);
    for (std::size_t i = 0; i < part.rows; ++i) keep_largest(problem, count, work, part.row(i), u.cols);
  }
}

template <class T>
void hard_codes(const HardProblem<T>& problem, MatrixView<const T> x, MatrixView<T> u) {
  for (std::size_t first = 0; first < x.rows; first += kHardRows) {
    const MatrixView<T> part = u.row_range(first, std::min(kHardRows, x.rows - first));
    multiply<T>(plain(x.row_range(first, part.rows)), problem.weights, part);
    for (std::size_t i = 0; i < part.rows; ++i) {
      if (!problem.own_thresholds.empty()) {
        keep_above_own(problem, part.row(i), u.cols);
        continue;
      }
      l0_kernels<T>().keep_large(problem.bias.data(), u.cols, problem.threshold, problem.positive, part.row(i));
    }
  }
}

template <class T>
T threshold_for_nonzeros(Matrix<T>& responses, double nonzeros, bool positive) {
  for (std::size_t e = 0; e < responses.size(); ++e) {
    T& value = responses.data()[e];
    value = positive ? std::max(value, T{0}) : std::abs(value);
  }
  const double wanted = std::floor(nonzeros * static_cast<double>(responses.rows()));
  if (!(wanted < static_cast<double>(responses.size()))) return T{0};
  T* const next = responses.data() + static_cast<std::size_t>(std::max(wanted, 0.0));
  std::nth_element(responses.data(), next, responses.data() + responses.size(), std::greater<>());
  return *next;
}

#define DUALDICT_INSTANTIATE(T)                                                                            \
  template struct HardProblem<T>;                                                                          \
  template void hard_codes<T>(const HardProblem<T>&, MatrixView<const T>, MatrixView<T>);                  \
  template void largest_codes<T>(const HardProblem<T>&, std::size_t, MatrixView<const T>, std::vector<T>&, \
                                 MatrixView<T>);                                                           \
  template T threshold_for_nonzeros<T>(Matrix<T>&, double, bool);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
