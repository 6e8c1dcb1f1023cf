// SPDX-License-Identifier: BSD-3-Clause
// The code of one sample by plain loops in double, and its certificate.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict::naive {

// min over u of 1/2 u'Hu - b'u + lambda |u|_1, H = D'D/d + ridge I, b = D'x/d + coding C x. Half of a sample's energy,
// less a constant.
struct CodeProblem {
  std::size_t n_atoms = 0;
  std::size_t n_features = 0;
  double lambda = 0;  // tau/K
  double coding = 0;  // eta/K
  double l2 = 0;      // mu/K
  double ridge = 0;   // (eta + mu)/K
  bool positive = false;
  Matrix<double> atoms;         // K x d
  Matrix<double> atom_columns;  // d x K, so that the inner loops run along memory
  Matrix<double> filter_columns;
  Matrix<double> hessian;
};

// One sample and what is known of its code.
struct Code {
  std::vector<double> b;          // K
  std::vector<double> predicted;  // C x
  std::vector<double> u;
  std::vector<double> r;  // b - Hu
};

CodeProblem make_problem(const ModelParts& parts);

// Vectors of the right lengths.
Code make_code(const CodeProblem& problem);

// The code of a sample: coordinate descent from zero until the duality gap is at most 1e-9 of the sample's energy and
// the KKT residual at most 1e-3 tau/K; with tau = 0 until the KKT residual is at most 1e-10 of the largest |b_j|. The
// number of sweeps is bounded; duality_gap and max_violation tell how near it came.
void find_code(const CodeProblem& problem, const double* sample, Code& code);

// The duality gap in the units of E, an upper bound of E(u) - min E; `squared_rho` is E(u) without its l1 term.
double duality_gap(const CodeProblem& problem, const Code& code, double squared_rho);

// The largest violation of an optimality condition.
double max_violation(const CodeProblem& problem, const Code& code);

double largest_magnitude(const std::vector<double>& values);
double sum_abs(const std::vector<double>& values);

}  // namespace dualdict::naive
