// SPDX-License-Identifier: BSD-3-Clause
// The reference of the kernels of hard and greedy codes, one number at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/kernels/l0_kernels.h"

namespace dualdict {
namespace {

template <class T>
GreedyReport move_greedily(const GreedyArguments<T>& p) {
  GreedyReport report;
  report.nonzeros = p.n - static_cast<std::size_t>(std::count(p.u, p.u + p.n, T{0}));
  for (; report.moves < p.max_moves; ++report.moves) {
    const T entry = report.nonzeros < p.max_nonzeros ? p.price : std::numeric_limits<T>::infinity();
    std::size_t best = 0;
    T largest = 0;
    for (std::size_t j = 0; j < p.n; ++j) {
      const T gain = greedy_gain(p.c[j], p.u[j], p.price, entry, p.positive);
      if (!(gain > largest)) continue;
      best = j;
      largest = gain;
    }
    const T old = p.u[best];
    const T now = greedy_target(p.c[best] + old, p.price, p.positive);
    if (!(largest > p.least_gain) || now == old) return report;
    p.u[best] = now;
    report.nonzeros += now != T{0} ? 1 : 0;
    report.nonzeros -= old != T{0} ? 1 : 0;
    report.gain += static_cast<double>(largest);
    for (std::size_t k = 0; k < p.n; ++k) p.c[k] -= (now - old) * p.gram[best * p.gram_stride + k];
  }
  return report;
}

template <class T>
void keep_large(const T* bias, std::size_t n, T threshold, bool positive, T* row) {
  for (std::size_t j = 0; j < n; ++j) {
    const T value = row[j] + bias[j];
    row[j] = (positive ? value : std::abs(value)) > threshold ? value : T{0};
  }
}

template <class T>
void dot_rows(const DotsArguments<T>& p) {
  for (std::size_t e = 0; e < p.count; ++e) {
    const T* row = p.matrix + p.rows[e] * p.stride;
    T sum = 0;
    for (std::size_t k = 0; k < p.n; ++k) sum += row[k] * p.x[k];
    p.out[e] = sum;
  }
}

template <class T>
void adam_step(const AdamArguments<T>& p) {
  for (std::size_t k = 0; k < p.n; ++k) {
    const T g = p.direction[k];
    p.first[k] = p.first_fading * p.first[k] + (T{1} - p.first_fading) * g;
    p.second[k] = p.second_fading * p.second[k] + (T{1} - p.second_fading) * (g * g);
    p.w[k] += p.rate * p.first[k] / (std::sqrt(p.second[k]) + p.floor);
  }
}

template <class T>
constexpr L0Kernels<T> kL0Table{"scalar", move_greedily<T>, keep_large<T>, dot_rows<T>, adam_step<T>};

}  // namespace

template <class T>
const L0Kernels<T>& scalar_l0_kernels() {
  return kL0Table<T>;
}
template const L0Kernels<float>& scalar_l0_kernels<float>();
template const L0Kernels<double>& scalar_l0_kernels<double>();

}  // namespace dualdict
