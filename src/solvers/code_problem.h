// SPDX-License-Identifier: BSD-3-Clause
// What the code step needs of D and C, shared by all samples: H, its diagonal, and W = D/d + eta/K C with b = W x.
#pragma once

#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/product.h"
#include "solvers/objective.h"

namespace dualdict {

template <class T>
struct CodeProblem {
  Objective objective;
  T lambda = 0;
  // Their rows are padded with zeros, as the kernels of the code step want it.
  Matrix<T> gram;                   // H = D'D/d + (eta + mu)/K I
  std::vector<T> diagonal;          // H_jj
  std::vector<T> inverse_diagonal;  // 1/H_jj, 0 where H_jj is 0
  PackedRight<T> weights;           // W', d x K
  PackedRight<T> packed_gram;
  // |y|^2 <= squared_scale |x|^2 for the lasso that the code solves (y = [x/sqrt d; sqrt(eta/K) C x]).
  double squared_scale = 0;
  // H is at least this on the space that codes live in; used by the certificate when tau = 0.
  double smallest_curvature = 0;
  double largest_curvature = 0;  // lambda_max(H); made only for the FISTA step
  // A good part of the diagonal of H is the same for all directions: a few sweeps finish a code that is nearly done.
  bool sweeps_fast = false;
  // tau = 0 and no sign constraint: u = direct x in closed form (pseudo-inverse when H is singular).
  bool has_direct = false;
  PackedRight<T> direct;

  // Rebuilds everything for new D and C, reusing the memory.
  void assign(const Objective& objective_in, const Matrix<double>& dictionary, const Matrix<double>& dual,
              ThreadPool& pool = calling_thread());
  // Needed by codes_by_fista only.
  void find_largest_curvature();
};

}  // namespace dualdict
