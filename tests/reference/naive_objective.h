// SPDX-License-Identifier: BSD-3-Clause
// E, the optimality conditions and the duality gap of a code, written out in double from their definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"
#include "reference/naive_products.h"
#include "solvers/objective.h"

namespace dualdict {

// x - D u.
inline std::vector<double> naive_residual(const Matrix<double>& dictionary, const double* x, const double* u) {
  std::vector<double> residual(x, x + dictionary.cols());
  for (std::size_t k = 0; k < dictionary.rows(); ++k)
    for (std::size_t f = 0; f < dictionary.cols(); ++f) residual[f] -= u[k] * dictionary(k, f);
  return residual;
}

// C x.
inline std::vector<double> naive_prediction(const Matrix<double>& dual, const double* x) {
  std::vector<double> prediction(dual.rows());
  for (std::size_t k = 0; k < dual.rows(); ++k)
    for (std::size_t f = 0; f < dual.cols(); ++f) prediction[k] += dual(k, f) * x[f];
  return prediction;
}

inline double naive_square(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return sum;
}

// The four terms of E for one sample.
inline Energy naive_sample_energy(const Objective& objective, const Matrix<double>& dictionary,
                                  const Matrix<double>& dual, const double* x, const double* u) {
  const auto d = static_cast<double>(dictionary.cols());
  const auto k = static_cast<double>(dictionary.rows());
  Energy energy;
  energy.reconstruction = naive_square(naive_residual(dictionary, x, u)) / d;
  const std::vector<double> prediction = naive_prediction(dual, x);
  for (std::size_t j = 0; j < dictionary.rows(); ++j) {
    energy.coding += objective.eta / k * (u[j] - prediction[j]) * (u[j] - prediction[j]);
    energy.l1 += 2 * objective.tau / k * std::abs(u[j]);
    energy.l2 += objective.mu / k * u[j] * u[j];
  }
  return energy;
}

inline Energy naive_energy(const Objective& objective, const Matrix<double>& dictionary, const Matrix<double>& dual,
                           const Matrix<double>& samples, const Matrix<double>& codes) {
  Energy sum;
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    const Energy one = naive_sample_energy(objective, dictionary, dual, samples.row(i), codes.row(i));
    sum.reconstruction += one.reconstruction;
    sum.coding += one.coding;
    sum.l1 += one.l1;
    sum.l2 += one.l2;
  }
  return sum;
}

// Minus half the derivative of the smooth part of E by u: D'(x - Du)/d + eta/K (Cx - u) - mu/K u.
inline std::vector<double> naive_pull(const Objective& objective, const Matrix<double>& dictionary,
                                      const Matrix<double>& dual, const double* x, const double* u) {
  const auto d = static_cast<double>(dictionary.cols());
  const auto k = static_cast<double>(dictionary.rows());
  const std::vector<double> residual = naive_residual(dictionary, x, u);
  const std::vector<double> prediction = naive_prediction(dual, x);
  std::vector<double> pull(dictionary.rows());
  for (std::size_t j = 0; j < dictionary.rows(); ++j) {
    for (std::size_t f = 0; f < dictionary.cols(); ++f) pull[j] += dictionary(j, f) * residual[f] / d;
    pull[j] += objective.eta / k * (prediction[j] - u[j]) - objective.mu / k * u[j];
  }
  return pull;
}

// The largest violation of the optimality conditions, in units of tau/K; of max |b| when tau = 0.
inline double naive_kkt(const Objective& objective, const Matrix<double>& dictionary, const Matrix<double>& dual,
                        const double* x, const double* u) {
  const double lambda = objective.tau / static_cast<double>(dictionary.rows());
  const std::vector<double> pull = naive_pull(objective, dictionary, dual, x, u);
  double worst = 0;
  for (std::size_t j = 0; j < pull.size(); ++j) {
    if (u[j] > 0) worst = std::max(worst, std::abs(pull[j] - lambda));
    if (u[j] < 0) worst = std::max(worst, std::abs(pull[j] + lambda));
    if (u[j] == 0) worst = std::max(worst, (objective.positive_codes ? pull[j] : std::abs(pull[j])) - lambda);
  }
  double unit = lambda;
  if (unit == 0) {
    const std::vector<double> zero(dictionary.rows());
    for (const double b : naive_pull(objective, dictionary, dual, x, zero.data())) unit = std::max(unit, std::abs(b));
  }
  return unit > 0 ? worst / unit : worst;
}

// Primal minus dual value of the lasso that the code solves, in the units of E. tau > 0.
inline double naive_gap(const Objective& objective, const Matrix<double>& dictionary, const Matrix<double>& dual,
                        const double* x, const double* u) {
  const auto d = static_cast<double>(dictionary.cols());
  const auto k = static_cast<double>(dictionary.rows());
  const double lambda = objective.tau / k;
  double pull = 0;
  for (const double r : naive_pull(objective, dictionary, dual, x, u))
    pull = std::max(pull, objective.positive_codes ? r : std::abs(r));
  const double s = pull > lambda ? lambda / pull : 1.0;
  // y and rho = y - Au, term by term; the dual value is |y|^2 - |y - s rho|^2.
  double primal = 0;
  double dual_value = 0;
  const auto add = [&](double y, double rho) {
    primal += rho * rho;
    dual_value += y * y - (y - s * rho) * (y - s * rho);
  };
  const std::vector<double> residual = naive_residual(dictionary, x, u);
  const std::vector<double> prediction = naive_prediction(dual, x);
  for (std::size_t f = 0; f < residual.size(); ++f) add(x[f] / std::sqrt(d), residual[f] / std::sqrt(d));
  for (std::size_t j = 0; j < prediction.size(); ++j) {
    const double scale = std::sqrt(objective.eta / k);
    add(scale * prediction[j], scale * (prediction[j] - u[j]));
    add(0, -std::sqrt(objective.mu / k) * u[j]);
    primal += 2 * lambda * std::abs(u[j]);
  }
  return primal - dual_value;
}

}  // namespace dualdict
