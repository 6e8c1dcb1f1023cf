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

template <class T>
void hard_codes(const HardProblem<T>& problem, MatrixView<const T> x, MatrixView<T> u) {
  constexpr std::size_t kRows = 64;  // whose codes are still in the cache when they are cut
  for (std::size_t first = 0; first < x.rows; first += kRows) {
    const MatrixView<T> part = u.row_range(first, std::min(kRows, x.rows - first));
    multiply<T>(plain(x.row_range(first, part.rows)), problem.weights, part);
    for (std::size_t i = 0; i < part.rows; ++i)
      l0_kernels<T>().keep_large(problem.bias.data(), u.cols, problem.threshold, problem.positive, part.row(i));
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

#define DUALDICT_INSTANTIATE(T)                                                           \
  template struct HardProblem<T>;                                                         \
  template void hard_codes<T>(const HardProblem<T>&, MatrixView<const T>, MatrixView<T>); \
  template T threshold_for_nonzeros<T>(Matrix<T>&, double, bool);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
