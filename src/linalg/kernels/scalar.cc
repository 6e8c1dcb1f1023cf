// SPDX-License-Identifier: BSD-3-Clause
// The reference: the same sums in the same order, one number at a time.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "linalg/kernels/kernels.h"

namespace dualdict {
namespace {

constexpr std::size_t kScalarRows = 6;
constexpr std::size_t kScalarPanel = 8;
constexpr std::size_t kScalarPanels = 3;
constexpr std::size_t kScalarCacheBytes = 28 << 10;
constexpr double kScalarSparseShare = 0.9;

template <class T>
T soft_threshold(T z, T lambda, bool positive) {
  if (z > lambda) return z - lambda;
  if (!positive && z < -lambda) return z + lambda;
  return 0;
}

template <class T>
void shrink(const Shrinkage<T>& s, T* row, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j)
    row[j] = s.gain[j] * soft_threshold(row[j], s.threshold[j] + s.growth[j] * s.levels[0], s.positive) + T{0};
}

template <class T>
void tile(const TileArguments<T>& t) {
  const T sign = t.into == Into::kSubtract ? T{-1} : T{1};
  for (std::size_t i = 0; i < t.rows; ++i) {
    for (std::size_t j = 0; j < t.width; ++j) {
      T sum = t.into == Into::kSet ? T{0} : t.c[i * t.c_stride + j];
      for (std::size_t k = 0; k < t.depth; ++k)
        sum += sign * t.a[i * t.row_stride + k * t.depth_stride] * t.panel[k * kScalarPanel + j];
      t.c[i * t.c_stride + j] = sum;
    }
    if (t.shrinkage.gain != nullptr) shrink(t.shrinkage.from(i, 0), t.c + i * t.c_stride, t.width);
  }
}

// Moves coordinate j to `target` and keeps r = b - Hu.
template <class T>
void move_to(const DescentArguments<T>& p, std::size_t j, T target) {
  const T step = target - p.u[j];
  if (step == 0) return;
  p.u[j] = target;
  for (std::size_t k = 0; k < p.n; ++k) p.r[k] -= step * p.gram[j * p.gram_stride + k];
}

// H_jj times the minimiser of a coordinate, the others given.
template <class T>
T scaled_minimiser(const DescentArguments<T>& p, std::size_t j) {
  return soft_threshold(p.r[j] + p.diagonal[j] * p.u[j], p.lambda, p.positive);
}

// How far r_j is outside of what coordinate j bears, lambda with its sign where it is used, up to that where it is
// idle: where that is not negative, the residual of its optimality condition.
template <class T>
T excess(const DescentArguments<T>& p, std::size_t j) {
  if (p.inverse_diagonal[j] == T{0}) return 0;
  if (p.u[j] != T{0}) return std::abs(p.r[j] - (p.u[j] > T{0} ? p.lambda : -p.lambda));
  return (p.positive ? p.r[j] : std::abs(p.r[j])) - p.lambda;
}

// From u = 0: the coordinate that is farthest out of its bounds first, until none is by more than the threshold.
template <class T>
void descend_greedily(const DescentArguments<T>& p) {
  const std::size_t max_steps = 2 * p.n;
  for (std::size_t count = 0; count < max_steps; ++count) {
    std::size_t best = 0;
    T farthest = 0;
    for (std::size_t j = 0; j < p.n; ++j) {
      if (excess(p, j) <= farthest) continue;
      best = j;
      farthest = excess(p, j);
    }
    const T target = scaled_minimiser(p, best) * p.inverse_diagonal[best];
    if (!(farthest > p.lambda) || target == p.u[best]) return;
    move_to(p, best, target);
  }
}

template <class T>
DescentReport<T> descend(const DescentArguments<T>& p) {
  DescentReport<T> report;
  if (p.from_zero && p.lambda > T{0}) descend_greedily(p);
  for (;; ++report.sweeps) {
    report.kkt = 0;
    for (std::size_t j = 0; j < p.n; ++j) report.kkt = std::max(report.kkt, excess(p, j));
    if (report.kkt <= p.tolerance || report.sweeps == p.max_sweeps) return report;
    std::size_t n_list = 0;
    for (std::size_t j = 0; j < p.n; ++j) {
      if (p.inverse_diagonal[j] == T{0}) continue;
      const T pull = p.positive ? p.r[j] : std::abs(p.r[j]);
      if (p.u[j] != 0 || pull > p.lambda) p.list[n_list++] = static_cast<std::uint32_t>(j);
    }
    for (std::size_t l = 0; l < n_list; ++l) {
      const std::size_t j = p.list[l];
      const T minimiser = scaled_minimiser(p, j) * p.inverse_diagonal[j];
      move_to(p, j, p.relaxation == T{1} ? minimiser : relaxed(p.u[j], minimiser, p.relaxation));
    }
  }
}

template <class T>
void add_rows(const RowsArguments<T>& p) {
  for (std::size_t e = 0; e < p.count; ++e) {
    const T factor = p.sign * p.factors[e];
    const T* row = p.matrix + p.rows[e] * p.stride;
    for (std::size_t k = 0; k < p.n; ++k) p.out[k] += factor * row[k];
  }
}

template <class T>
void add_panel_rows(const PanelRowsArguments<T>& p) {
  for (std::size_t i = 0; i < p.n_rows; ++i) {
    T* const out = p.out + i * p.out_stride;
    for (std::size_t column = 0; column < kMarksPerWord * p.n_words; ++column) {
      if ((p.used[i * p.used_stride + column / kMarksPerWord] >> (column % kMarksPerWord) & 1) == 0) continue;
      const T value = p.left[i * p.row_stride + column * p.depth_stride];
      const T factor = p.into == Into::kSubtract ? -value : value;
      const T* row = p.panels + column * kScalarPanel;
      for (std::size_t k = 0; k < p.n; ++k) out[k] += factor * row[k / kScalarPanel * p.panel_size + k % kScalarPanel];
    }
    if (p.shrinkage.gain != nullptr) shrink(p.shrinkage.from(i, 0), out, p.n);
  }
}

template <class T>
std::size_t list_nonzeros(const T* row, std::size_t n, std::uint32_t* columns, T* values) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < n; ++j) {  // written always, kept when not zero: no branch to guess
    columns[count] = static_cast<std::uint32_t>(j);
    values[count] = row[j];
    count += row[j] != T{0} ? 1 : 0;
  }
  return count;
}

template <class T>
void mark_nonzeros(const T* row, std::size_t n, std::uint64_t* bits) {
  std::fill_n(bits, mark_words(n), 0);
  for (std::size_t j = 0; j < n; ++j)
    if (row[j] != T{0}) bits[j / kMarksPerWord] |= std::uint64_t{1} << (j % kMarksPerWord);
}

template <class T>
T largest_magnitude(const T* x, std::size_t n) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  Bits largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::bit_cast<Bits>(std::abs(x[i])));
  return std::bit_cast<T>(largest);
}

template <class T>
std::size_t count_nonzeros(const T* x, std::size_t n) {
  return n - static_cast<std::size_t>(std::count(x, x + n, T{0}));
}

template <class T>
double squared_norm(const T* x, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return sum;
}

template <class T>
CodeSums summarise(const T* u, const T* b, const T* r, std::size_t n, T lambda, bool positive) {
  CodeSums sums;
  T pull = 0, start = 0;
  for (std::size_t j = 0; j < n; ++j) {
    pull = std::max(pull, positive ? r[j] : std::abs(r[j]));
    start = std::max(start, positive ? b[j] : std::abs(b[j]));
    sums.abs += static_cast<double>(std::abs(u[j]));
    sums.ub += static_cast<double>(u[j]) * static_cast<double>(b[j]);
    sums.ur += static_cast<double>(u[j]) * static_cast<double>(r[j]);
    sums.nonzeros += u[j] != T{0} ? 1 : 0;
  }
  sums.pull = static_cast<double>(pull);
  sums.start = static_cast<double>(start);
  const double s = pull > lambda ? static_cast<double>(lambda) / sums.pull : 1.0;
  for (std::size_t j = 0; j < n; ++j) {
    const auto uj = static_cast<double>(u[j]);
    sums.slack += std::max(0.0, static_cast<double>(lambda) * std::abs(uj) - s * uj * static_cast<double>(r[j]));
  }
  return sums;
}

template <class T>
constexpr Kernels<T> kTable{"scalar",           kScalarRows,      kScalarPanel, kScalarPanels,        kScalarCacheBytes,
                            kScalarSparseShare, tile<T>,          descend<T>,   add_rows<T>,          add_panel_rows<T>,
                            list_nonzeros<T>,   mark_nonzeros<T>, shrink<T>,    largest_magnitude<T>, count_nonzeros<T>,
                            squared_norm<T>,    summarise<T>};

}  // namespace

template <class T>
const Kernels<T>& scalar_kernels() {
  return kTable<T>;
}
template const Kernels<float>& scalar_kernels<float>();
template const Kernels<double>& scalar_kernels<double>();

}  // namespace dualdict
