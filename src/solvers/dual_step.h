// SPDX-License-Identifier: BSD-3-Clause
// The dual step: min over C of |U - C X|^2, filters in the ball, from the moments UX' and XX' alone.
#pragma once

#include <type_traits>

#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "linalg/symmetric.h"
#include "linalg/top_spectrum.h"
#include "solvers/accelerated.h"
#include "solvers/objective.h"
#include "solvers/spectral_descent.h"

namespace dualdict {

// The `cut` of a DualSolver whose moments come from codes of type T. The sums UX' of float codes carry a relative error
// near 1e-7: dividing it by a smaller eigenvalue would fill C with noise.
template <class T>
constexpr double kEigenvalueCut = std::is_same_v<T, float> ? 1e-6 : 1e-12;

// From more features than this on, where samples are fewer, sums over pairs of samples take the place of those over
// pairs of features.
inline constexpr std::size_t kWideFeatures = 512;
inline bool is_wide(std::size_t n_samples, std::size_t n_features) {
  return n_samples < n_features && n_features > kWideFeatures;
}

// XX' = Q diag(w) Q', made once for a whole run. Eigenvalues below `cut` times the largest count as zero: the data
// say nothing about these directions, and C gets no component there (the minimum-norm solution). With more than
// kWholeSpectrum of them only the largest are made, and a step is a descent in the metric that they give.
class DualSolver {
 public:
  DualSolver(const Matrix<double>& xx, double cut);
  // Where moments.root has at most kWholeSpectrum rows, these are orthogonal, shortest first.
  DualSolver(const Moments& moments, double cut, ThreadPool& pool, const Interrupt& interrupt);

  // Every filter to its exact minimiser: c = Q (w + l)^-1 Q' (X u_k'), with l >= 0 the root of |c| = 1, or 0 where the
  // ball is not reached. A row that would be no better than what it was (cut directions, rounding) stays. The gap is
  // in the units of E; with eta = 0, where C is outside E, of 1/K |U - C X|^2. The limits, in the same units, are for a
  // spectrum that is not whole.
  StepReport step(const Objective& objective, const Moments& moments, Matrix<double>& dual,
                  const DescentLimits& limits = {}, ThreadPool& pool = calling_thread()) const;
  // Whether step() descends until its limits rather than solves.
  bool descends() const { return metric_.rest > 0; }

 private:
  void cut_spectrum(double cut);
  // M Q and M Q' for rows M.
  Matrix<double> to_spectrum(const Matrix<double>& m, const Moments& moments, ThreadPool& pool) const;
  Matrix<double> from_spectrum(Matrix<double> m, const Moments& moments, ThreadPool& pool) const;

  SymmetricEigen eigen_;    // without vectors where those are the rows of the root
  std::size_t n_zero_ = 0;  // eigenvalues cut
  SpectralMetric metric_;   // where the spectrum is not whole
};

// The paper's step: FISTA with sigma_C = lambda_max(XX')/K.
StepReport dual_step_fista(const Objective& objective, const Moments& moments, double gap_tolerance,
                           std::size_t max_iterations, Matrix<double>& dual, ThreadPool& pool = calling_thread());

}  // namespace dualdict
