// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/objective.h"

#include <algorithm>

#include "linalg/parallel_product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

double trace(const Matrix<double>& a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) sum += a(i, i);
  return sum;
}

}  // namespace

Matrix<double> multiply_by_xx(const Matrix<double>& m, const Moments& moments, ThreadPool& pool) {
  if (moments.root.empty()) return parallel_product(m.view(), moments.xx.view(), pool);
  const Matrix<double> along = parallel_multiply_transposed(m.view(), moments.root.view(), pool);
  return parallel_product(along.view(), moments.root.view(), pool);
}

Energy energy_from_moments(const Objective& objective, const Moments& moments, const Matrix<double>& dictionary,
                           const Matrix<double>& dual, ThreadPool& pool) {
  Energy energy;
  const double squared_codes = trace(moments.uu);
  // |X - DU|^2 = |X|^2 - 2 <D, UX'> + <D, (UU') D>
  const Matrix<double> gd = parallel_product(moments.uu.view(), dictionary.view(), pool);
  const double residual =
      moments.squared_samples - 2 * inner_product(dictionary, moments.ux) + inner_product(dictionary, gd);
  energy.reconstruction = std::max(0.0, residual) / objective.d();
  if (objective.eta > 0) {
    // |U - CX|^2 = |U|^2 - 2 <C, UX'> + <C, C (XX')>
    const Matrix<double> cs = multiply_by_xx(dual, moments, pool);
    const double mismatch = squared_codes - 2 * inner_product(dual, moments.ux) + inner_product(dual, cs);
    energy.coding = objective.coding_weight() * std::max(0.0, mismatch);
  }
  if (objective.penalty == Penalty::kL0) energy.l0 = objective.price / objective.d() * moments.sum_abs_codes;
  energy.l1 = 2 * objective.lambda() * moments.sum_abs_codes;
  energy.l2 = objective.mu / objective.k() * squared_codes;
  return energy;
}

}  // namespace dualdict
