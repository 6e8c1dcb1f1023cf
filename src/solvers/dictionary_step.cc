// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/dictionary_step.h"

#include <algorithm>
#include <limits>

#include "linalg/product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"
#include "solvers/projection.h"

namespace dualdict {
namespace {

// Atoms whose gradients are made by one product before they are visited one by one. Each group costs a copy of D for
// the product, and each atom of a group a correction of those after it: many atoms want larger groups.
std::size_t group_size(std::size_t n_atoms) {
  constexpr std::size_t kSmall = 32, kLarge = 96, kMany = 1024;
  return n_atoms < kMany ? kSmall : kLarge;
}

// UX' - (UU') D for the atoms [first, first + count).
void negative_gradient(const Moments& moments, const PackedRight<double>& dictionary, std::size_t first,
                       std::size_t count, Matrix<double>& out) {
  for (std::size_t i = 0; i < count; ++i) std::copy_n(moments.ux.row(first + i), moments.ux.cols(), out.row(i));
  multiply<double>(plain(moments.uu.view().row_range(first, count)), dictionary, out.view().row_range(0, count),
                   Into::kSubtract);
}

struct DescentWorkspace {
  DescentWorkspace(std::size_t group, std::size_t n_features) : pull(group, n_features), step(n_features) {}
  PackedRight<double> packed;
  Matrix<double> pull;       // negative gradient of a group of atoms
  std::vector<double> step;  // the move of one atom
};

// Every atom once: d_i <- projection of d_i + (pull_i / UU'_ii), the minimiser for the others fixed.
void descend_once(const Objective& objective, const Moments& moments, Matrix<double>& dictionary,
                  DescentWorkspace& work) {
  const std::size_t n_features = objective.n_features;
  for (std::size_t first = 0; first < objective.n_atoms; first += work.pull.rows()) {
    const std::size_t count = std::min(work.pull.rows(), objective.n_atoms - first);
    work.packed.pack(dictionary.view());
    negative_gradient(moments, work.packed, first, count, work.pull);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t atom = first + i;
      const double curvature = moments.uu(atom, atom);
      if (!(curvature > 0)) continue;
      double* row = dictionary.row(atom);
      for (std::size_t j = 0; j < n_features; ++j) work.step[j] = row[j] + work.pull(i, j) / curvature;
      project_row(work.step.data(), n_features, objective.positive_dictionary);
      for (std::size_t j = 0; j < n_features; ++j) {
        const double target = work.step[j];
        work.step[j] = target - row[j];
        row[j] = target;
      }
      for (std::size_t later = i + 1; later < count; ++later) {
        const double weight = moments.uu(first + later, atom);
        if (weight == 0) continue;
        double* pull = work.pull.row(later);
        for (std::size_t j = 0; j < n_features; ++j) pull[j] -= weight * work.step[j];
      }
    }
  }
}

double gap_in_energy(const Objective& objective, const Moments& moments, const Matrix<double>& dictionary) {
  Matrix<double> gradient = multiply<double>(moments.uu.view(), dictionary.view());
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient.data()[i] -= moments.ux.data()[i];
  return 2 / objective.d() * ball_gap(gradient, dictionary, objective.positive_dictionary);
}

}  // namespace

StepReport dictionary_step_fast(const Objective& objective, const Moments& moments,
                                const DictionaryStepOptions& options, Matrix<double>& dictionary) {
  constexpr std::size_t kCheckEvery = 5;
  StepReport report;
  DescentWorkspace work(group_size(objective.n_atoms), objective.n_features);
  for (;;) {
    descend_once(objective, moments, dictionary, work);
    ++report.iterations;
    if (!options.certify) {
      if (report.iterations < options.max_passes) continue;
      report.gap = std::numeric_limits<double>::infinity();
      return report;
    }
    if (report.iterations % kCheckEvery != 0 && report.iterations < options.max_passes) continue;
    report.gap = gap_in_energy(objective, moments, dictionary);
    if (report.gap <= options.gap_tolerance) return report;
    if (report.iterations >= options.max_passes) break;
  }
  if (options.max_fista_iterations > 0) {
    const std::size_t passes = report.iterations;
    report = dictionary_step_fista(objective, moments, options, dictionary);
    report.iterations += passes;
  }
  return report;
}

StepReport dictionary_step_fista(const Objective& objective, const Moments& moments,
                                 const DictionaryStepOptions& options, Matrix<double>& dictionary) {
  BallQuadratic problem;
  problem.apply = [&](const Matrix<double>& m) { return multiply<double>(moments.uu.view(), m.view()); };
  problem.linear = &moments.ux;
  problem.largest_eigenvalue = largest_eigenvalue(moments.uu);
  problem.positive = objective.positive_dictionary;
  // |X - DU|^2 / d is 2/d times the quadratic, plus a constant.
  StepReport report = minimize_accelerated(problem, dictionary, options.gap_tolerance * objective.d() / 2,
                                           options.max_fista_iterations);
  report.gap *= 2 / objective.d();
  return report;
}

}  // namespace dualdict
