// SPDX-License-Identifier: BSD-3-Clause
// Accelerated descent for a quadratic over rows in the ball, in a metric that knows the large end of its spectrum: what
// makes plain FISTA slow is that end.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/symmetric.h"
#include "solvers/accelerated.h"

namespace dualdict {

// The minimiser of 1/2 sum v_i c_i^2 - sum b_i c_i in the ball: c_i = b_i / (v_i + l), l >= 0 the root of |c| = 1, or 0
// where the ball is not reached. The first n_zero entries of c are 0.
void solve_in_ball(std::span<const double> values, const double* linear, std::size_t n_zero, double* row);

// rest I + V' diag(w) V: close to the quadratic, and above it when `rest` bounds what V leaves of it.
struct SpectralMetric {
  SymmetricEigen top;
  double rest = 0;
};

struct DescentLimits {
  double gap_tolerance = 0;
  std::size_t max_iterations = 2000;
  const Interrupt* interrupt = nullptr;  // asked between iterations; then the start stays
};

// Minimises 1/2 <M, Q(M)> - <M, linear> from `m`, in place, until the gap is at most the tolerance. Every iteration
// takes one product; the value never rises.
StepReport minimize_in_metric(const BallQuadratic& problem, const SpectralMetric& metric, const DescentLimits& limits,
                              Matrix<double>& m, ThreadPool& pool);

}  // namespace dualdict
