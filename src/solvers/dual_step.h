// SPDX-License-Identifier: BSD-3-Clause
// The dual step: min over C of |U - C X|^2, filters in the ball, from the moments UX' and XX' alone.
#pragma once

#include <type_traits>

#include "linalg/symmetric.h"
#include "solvers/accelerated.h"
#include "solvers/objective.h"

namespace dualdict {

// The `cut` of a DualSolver whose moments come from codes of type T. The sums UX' of float codes carry a relative error
// near 1e-7: dividing it by a smaller eigenvalue would fill C with noise.
template <class T>
constexpr double kEigenvalueCut = std::is_same_v<T, float> ? 1e-6 : 1e-12;

// XX' = Q diag(w) Q', made once for a whole run. Eigenvalues below `cut` times the largest count as zero: the data
// say nothing about these directions, and C gets no component there (the minimum-norm solution).
class DualSolver {
 public:
  DualSolver(const Matrix<double>& xx, double cut);

  // Every filter to its exact minimiser: c = Q (w + l)^-1 Q' (X u_k'), with l >= 0 the root of |c| = 1, or 0 where the
  // ball is not reached. A row that would be no better than what it was (cut directions, rounding) stays. The gap is
  // in the units of E; with eta = 0, where C is outside E, of 1/K |U - C X|^2.
  StepReport step(const Objective& objective, const Moments& moments, Matrix<double>& dual) const;

 private:
  void solve_row(const double* rotated, double* row) const;

  SymmetricEigen eigen_;
  std::size_t n_zero_ = 0;  // eigenvalues cut
};

// The paper's step: FISTA with sigma_C = lambda_max(XX')/K.
StepReport dual_step_fista(const Objective& objective, const Moments& moments, double gap_tolerance,
                           std::size_t max_iterations, Matrix<double>& dual);

}  // namespace dualdict
