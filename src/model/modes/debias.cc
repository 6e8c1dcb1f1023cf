// SPDX-License-Identifier: BSD-3-Clause
#include "model/modes/debias.h"

#include <algorithm>
#include <cmath>

#include "linalg/product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// a = L L' in place (n x n, lower triangle); false when a pivot is not positive.
bool factorise(double* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = a + i * n;
    for (std::size_t j = 0; j < i; ++j) row[j] = (row[j] - dot(row, a + j * n, j)) / a[j * n + j];
    const double pivot = row[i] - squared_norm(row, i);
    if (!(pivot > 0)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

// Of more atoms the products that a sample needs are made for it.
constexpr std::size_t kMostOnGram = 2048;

// L L' x = b in place.
void solve_factored(const double* factor, std::size_t n, double* x) {
  for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] - dot(factor + i * n, x, i)) / factor[i * n + i];
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= factor[i * n + i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= factor[i * n + j] * x[i];
  }
}

}  // namespace

Debias::Debias(const Matrix<double>& dictionary, bool positive)
    : dictionary_(dictionary),
      gram_(dictionary.rows() <= kMostOnGram ? multiply_transposed<double>(dictionary.view(), dictionary.view())
                                             : Matrix<double>()),
      positive_(positive) {}

double Debias::product(std::size_t i, std::size_t j) const {
  return gram_.empty() ? dot(dictionary_.row(i), dictionary_.row(j), dictionary_.cols()) : gram_(i, j);
}

template <class T>
void Debias::apply(const T* x, T* u, DebiasWorkspace& work) const {
  constexpr double kRidge = 1e-10;  // relative; keeps atoms that say the same apart
  auto& support = work.support;
  support.clear();
  for (std::size_t j = 0; j < dictionary_.rows(); ++j)
    if (u[j] != T{0}) support.push_back(j);
  const std::size_t n = support.size();
  if (n == 0 || n > dictionary_.cols()) return;
  if (work.factor.size() < n * n) work.factor.resize(n * n);
  if (work.solution.size() < n) work.solution.resize(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) work.factor[i * n + j] = product(support[i], support[j]);
    largest = std::max(largest, work.factor[i * n + i]);
    work.solution[i] = dot(dictionary_.row(support[i]), x, dictionary_.cols());
  }
  for (std::size_t i = 0; i < n; ++i) work.factor[i * n + i] += kRidge * largest;
  if (!factorise(work.factor.data(), n)) return;
  solve_factored(work.factor.data(), n, work.solution.data());
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<T>(work.solution[i]);
    u[support[i]] = positive_ ? std::max(value, T{0}) : value;
  }
}

template void Debias::apply<float>(const float*, float*, DebiasWorkspace&) const;
template void Debias::apply<double>(const double*, double*, DebiasWorkspace&) const;

}  // namespace dualdict
