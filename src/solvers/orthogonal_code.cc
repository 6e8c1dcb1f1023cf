// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/orthogonal_code.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/kernels/l0_kernels.h"

namespace dualdict {
namespace {

// Of an atom's squared length: with less outside of the atoms before it, it depends on them.
constexpr double kDependent = 0.01;

}  // namespace

template <class T>
void OrthogonalCode<T>::start(const T* x, std::span<const double> bias, std::size_t n_features) {
  n_features_ = n_features;
  atoms_.clear();
  factor_.clear();
  along_.clear();
  rest_.assign(x, x + n_features);
  for (std::size_t f = 0; f < bias.size(); ++f) rest_[f] -= static_cast<T>(bias[f]);
  constexpr double kRounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  least_ = kRounding * kRounding * kernels<T>().squared_norm(rest_.data(), n_features);
}

template <class T>
double OrthogonalCode<T>::add(std::uint32_t index, const T* atom, std::span<const T> known, T price) {
  const std::size_t n = size(), d = n_features_;
  if (basis_.size() < (n + 1) * d) basis_.resize(std::max((n + 1) * d, 2 * basis_.size()));
  for (auto next = static_cast<std::uint32_t>(count_.size()); next <= n; ++next) count_.push_back(next);
  products_.resize(count_.size());
  l0_kernels<T>().dot_rows({.rows = count_.data(),
                            .count = n - known.size(),
                            .matrix = basis_.data(),
                            .stride = d,
                            .x = atom,
                            .n = d,
                            .out = products_.data()});
  std::copy(known.begin(), known.end(), products_.begin() + static_cast<std::ptrdiff_t>(n - known.size()));
  T* const direction = basis_.data() + n * d;
  std::copy_n(atom, d, direction);
  kernels<T>().add_rows({.factors = products_.data(),
                         .rows = count_.data(),
                         .count = n,
                         .sign = T{-1},
                         .matrix = basis_.data(),
                         .stride = d,
                         .out = direction,
                         .n = d});
  const double squared = kernels<T>().squared_norm(direction, d);
  if (!(squared > kDependent)) return 0;
  const auto length = static_cast<T>(std::sqrt(squared));
  T along = 0;
  const std::uint32_t last = count_[n];
  l0_kernels<T>().dot_rows({&last, 1, basis_.data(), d, rest_.data(), d, &along});
  along /= length;
  if (!(along * along > price) || !(static_cast<double>(along * along) > least_)) return 0;
  for (std::size_t f = 0; f < d; ++f) direction[f] /= length;
  for (std::size_t f = 0; f < d; ++f) rest_[f] -= along * direction[f];
  factor_.insert(factor_.end(), products_.begin(), products_.begin() + static_cast<std::ptrdiff_t>(n));
  factor_.push_back(length);
  along_.push_back(along);
  atoms_.push_back(index);
  return static_cast<double>(along * along - price);
}

template <class T>
void OrthogonalCode<T>::solve(std::vector<T>& values) const {
  values = along_;
  for (std::size_t j = size(); j-- > 0;) {
    const T* const column = factor_.data() + j * (j + 1) / 2;
    values[j] /= column[j];
    for (std::size_t i = 0; i < j; ++i) values[i] -= column[i] * values[j];
  }
}

template class OrthogonalCode<float>;
template class OrthogonalCode<double>;

}  // namespace dualdict
