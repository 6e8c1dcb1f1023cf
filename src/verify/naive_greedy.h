// SPDX-License-Identifier: BSD-3-Clause
// The greedy code of one sample by plain loops in double: penalty l0.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict::naive {

// Low values of |x - b - D u|^2 + price |u|_0. Atoms have unit norm here; those of norm zero are never used.
struct GreedyCodeProblem {
  double price = 0;
  bool positive = false;
  std::vector<double> offset;  // b
  Matrix<double> atoms;        // K x d
  Matrix<double> gram;         // K x K; empty for many atoms, whose products are made when they are needed
};
GreedyCodeProblem make_greedy_problem(const ModelParts& parts);

struct GreedyCode {
  std::vector<double> u;     // of unit atoms
  std::vector<double> left;  // D'(x - b - D u)
  double squared_error = 0;  // from the residual itself
  std::size_t nonzeros = 0;
  double best_gain = 0;  // what the best move of one coefficient would still take off the cost
};

// From zero, always the move that gains most, while it gains more than a twentieth of the price.
void find_greedy_code(const GreedyCodeProblem& problem, const double* sample, GreedyCode& code);

}  // namespace dualdict::naive
