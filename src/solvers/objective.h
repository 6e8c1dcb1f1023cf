// SPDX-License-Identifier: BSD-3-Clause
// The objective and its scale factors, written once:
//
//   E(D, C, U) = 1/d |X - D U|^2 + eta/K |U - C X|^2 + 2 tau/K sum|U| + mu/K |U|^2,   |d_i| <= 1, |c_i| <= 1,
//
// or, with penalty l0, E(D, U) = 1/d |X - D U|^2 + price/d |U|_0.
//
// In memory a row is a sample (X: N x d), a code (U: N x K), an atom (D: K x d) or a filter (C: K x d).
#pragma once

#include <cstddef>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/summary.h"
#include "solvers/atom_set.h"

namespace dualdict {

struct Objective {
  std::size_t n_features = 0;  // d
  std::size_t n_atoms = 0;     // K
  double tau = 0;
  double eta = 0;
  double mu = 0;
  Penalty penalty = Penalty::kL1;
  double price = 0;  // of a nonzero, with penalty l0 in the place of tau
  bool positive_codes = false;
  AtomSet atoms = {};  // what D may be

  double d() const { return static_cast<double>(n_features); }
  double k() const { return static_cast<double>(n_atoms); }
  // A code minimises 1/2 u'Hu - b'u + lambda |u|_1 with H = D'D/d + ridge I, b = D'x/d + coding_weight C x; its share
  // of E is twice that, plus a constant.
  double lambda() const { return tau / k(); }
  double coding_weight() const { return eta / k(); }
  double ridge() const { return (eta + mu) / k(); }
};

// What the D and C steps and E need of the codes: sums over samples.
struct Moments {
  Matrix<double> uu;           // K x K: sum of u u'
  Matrix<double> ux;           // K x d: sum of u x'
  Matrix<double> xx;           // d x d: sum of x x'; empty where `root` stands for it
  Matrix<double> root;         // r x d with root' root = sum of x x': where samples are fewer than their features
  double squared_samples = 0;  // sum of |x|^2
  double sum_abs_codes = 0;    // sum of |u|_1 or, with penalty l0, of |u|_0
};

// M XX' for rows M of d elements.
Matrix<double> multiply_by_xx(const Matrix<double>& m, const Moments& moments, ThreadPool& pool);

// E from the moments, in O(K^2 d). Exact up to cancellation: the reconstruction term is a small difference.
Energy energy_from_moments(const Objective& objective, const Moments& moments, const Matrix<double>& dictionary,
                           const Matrix<double>& dual, ThreadPool& pool = calling_thread());

}  // namespace dualdict
