// SPDX-License-Identifier: BSD-3-Clause
// FISTA (Beck and Teboulle 2009) for a quadratic over rows in a ball, with restart (O'Donoghue and Candes 2015).
#pragma once

#include <cstddef>
#include <functional>

#include "dualdict/matrix.h"
#include "solvers/atom_set.h"

namespace dualdict {

struct StepReport {
  std::size_t iterations = 0;
  double gap = 0;  // Frank-Wolfe gap of the quadratic at the result: how much it can still fall
};

// 1/2 <M, Q(M)> - <M, b> over matrices M whose rows lie in the ball.
struct BallQuadratic {
  std::function<Matrix<double>(const Matrix<double>&)> apply;  // Q(M): symmetric, positive semidefinite
  const Matrix<double>* linear = nullptr;                      // b
  double largest_eigenvalue = 0;                               // of Q, or more
  AtomSet set;                                                 // of the rows
};

// Minimises from `m`, in place, until the gap is at most `gap_tolerance` or after `max_iterations`. The result is never
// worse than the start: FISTA is not monotone, so the better of start and end is kept.
StepReport minimize_accelerated(const BallQuadratic& problem, Matrix<double>& m, double gap_tolerance,
                                std::size_t max_iterations);

}  // namespace dualdict
