// SPDX-License-Identifier: BSD-3-Clause
// One code problem with its samples, ready to be solved by either method in either precision.
#pragma once

#include "problems/random_matrix.h"
#include "reference/naive_lasso.h"
#include "solvers/code_step.h"

namespace dualdict {

inline constexpr CodeMethod kMethods[] = {CodeMethod::kDescent, CodeMethod::kFista};

struct CodeCase {
  Objective objective;
  Matrix<double> dictionary, dual, samples;

  CodeCase(std::size_t n, std::size_t d, std::size_t k, std::uint64_t seed)
      : dictionary(random_unit_rows(k, d, seed)),
        dual(random_unit_rows(k, d, seed + 1000)),
        samples(convert<double>(random_matrix<float>(n, d, seed + 2000))) {
    objective.n_features = d;
    objective.n_atoms = k;
    objective.tau = 0.1 * static_cast<double>(k) / static_cast<double>(d);
    objective.eta = 1;
    // Near its dictionary, as a dual is.
    for (std::size_t i = 0; i < dual.size(); ++i)
      dual.data()[i] = static_cast<double>(static_cast<float>(0.5 * dictionary.data()[i] + 0.3 * dual.data()[i]));
  }

  template <class T>
  CodeReport solve(Matrix<T>& u, const CodeOptions& options) const {
    CodeProblem<T> problem;
    problem.assign(objective, dictionary, dual);
    if (options.method == CodeMethod::kFista) problem.find_largest_curvature();
    CodeWorkspace<T> work;
    const Matrix<T> x = convert<T>(samples);
    return code_step<T>(problem, x.view(), options, work, u.view());
  }
  template <class T>
  Matrix<double> codes(CodeReport& report, const CodeOptions& options) const {
    Matrix<T> u(samples.rows(), objective.n_atoms);
    report = solve(u, options);
    return convert<double>(u);
  }

  double energy(const Matrix<double>& u) const { return naive_energy(objective, dictionary, dual, samples, u).total(); }
  double worst_kkt(const Matrix<double>& u) const {
    double worst = 0;
    for (std::size_t i = 0; i < u.rows(); ++i)
      worst = std::max(worst, naive_kkt(objective, dictionary, dual, samples.row(i), u.row(i)));
    return worst;
  }
};

}  // namespace dualdict
