// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/dictionary_step.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linalg/parallel_product.h"
#include "linalg/product.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// Atoms whose gradients are made by one product before they are visited one by one. A product with few rows reads D
// for little work, and each atom of a group costs a correction of those after it: many atoms want larger groups.
std::size_t group_size(std::size_t n_atoms) {
  constexpr std::size_t kSmall = 32, kLarge = 96, kMany = 1024;
  return n_atoms < kMany ? kSmall : kLarge;
}

// UX' - (UU') D for the atoms [first, first + count).
void negative_gradient(const Moments& moments, const PackedRight<double>& dictionary, std::size_t first,
                       std::size_t count, ThreadPool& pool, Matrix<double>& out) {
  for (std::size_t i = 0; i < count; ++i) std::copy_n(moments.ux.row(first + i), moments.ux.cols(), out.row(i));
  parallel_multiply(moments.uu.view().row_range(first, count), dictionary, out.view().row_range(0, count),
                    Into::kSubtract, pool);
}

void throw_if_due(const DictionaryStepOptions& options) {
  if (options.interrupt != nullptr) options.interrupt->throw_if_due();
}

struct DescentWorkspace {
  DescentWorkspace(std::size_t group, std::size_t n_features)
      : pull(group, n_features), steps(group, n_features), all(group) {
    std::iota(all.begin(), all.end(), 0U);
  }
  PackedRight<double> packed;      // D as it is
  Matrix<double> pull;             // negative gradient of a group of atoms, brought up to date atom by atom
  Matrix<double> steps;            // how far they moved
  std::vector<std::uint32_t> all;  // 0, 1, ...
};

// An atom whose sums are no more than this has not been used, or so long ago that its sums have faded away: its
// gradient divided by them is noise.
double least_curvature(const Moments& moments) {
  constexpr double kFaded = 1e-30;
  double largest = 0;
  for (std::size_t i = 0; i < moments.uu.rows(); ++i) largest = std::max(largest, moments.uu(i, i));
  return kFaded * largest;
}

// One atom to its minimiser for the others fixed, the projection of d_i + (pull_i / UU'_ii).
void move_atom(const Objective& objective, double curvature, const double* pull, double* step, double* row) {
  const std::size_t n = objective.n_features;
  const double inverse = 1 / curvature;
  for (std::size_t j = 0; j < n; ++j) step[j] = row[j] + pull[j] * inverse;
  objective.atoms.project(step, n);
  for (std::size_t j = 0; j < n; ++j) {
    const double target = step[j];
    step[j] = target - row[j];
    row[j] = target;
  }
}

// Every atom once.
void descend_once(const Objective& objective, const Moments& moments, const DictionaryStepOptions& options,
                  Matrix<double>& dictionary, DescentWorkspace& work) {
  const std::size_t n_features = objective.n_features;
  const double least = least_curvature(moments);
  for (std::size_t first = 0; first < objective.n_atoms; first += work.pull.rows()) {
    const std::size_t count = std::min(work.pull.rows(), objective.n_atoms - first);
    throw_if_due(options);
    negative_gradient(moments, work.packed, first, count, *options.pool, work.pull);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t atom = first + i;
      double* pull = work.pull.row(i);
      double* step = work.steps.row(i);
      // What the atoms of the group that moved before this one have changed.
      kernels<double>().add_rows({.factors = moments.uu.row(atom) + first,
                                  .rows = work.all.data(),
                                  .count = i,
                                  .sign = -1,
                                  .matrix = work.steps.data(),
                                  .stride = n_features,
                                  .out = pull,
                                  .n = n_features});
      const double curvature = moments.uu(atom, atom);
      if (curvature > least)
        move_atom(objective, curvature, pull, step, dictionary.row(atom));
      else
        std::fill_n(step, n_features, 0.0);
    }
    work.packed.pack_rows_again(dictionary.view(), first, count);
  }
}

double gap_in_energy(const Objective& objective, const Moments& moments, const Matrix<double>& dictionary,
                     ThreadPool& pool) {
  Matrix<double> gradient = parallel_product(moments.uu.view(), dictionary.view(), pool);
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient.data()[i] -= moments.ux.data()[i];
  return 2 / objective.d() * objective.atoms.gap(gradient, dictionary);
}

// Passes over the atoms until the gap is small enough or there were max_passes of them.
StepReport descend(const Objective& objective, const Moments& moments, const DictionaryStepOptions& options,
                   Matrix<double>& dictionary) {
  constexpr std::size_t kCheckEvery = 5;
  StepReport report;
  report.gap = std::numeric_limits<double>::infinity();
  DescentWorkspace work(group_size(objective.n_atoms), objective.n_features);
  work.packed.pack(dictionary.view());
  while (report.iterations < options.max_passes && report.gap > options.gap_tolerance) {
    descend_once(objective, moments, options, dictionary, work);
    ++report.iterations;
    if (options.certify && (report.iterations % kCheckEvery == 0 || report.iterations == options.max_passes))
      report.gap = gap_in_energy(objective, moments, dictionary, *options.pool);
  }
  return report;
}

}  // namespace

StepReport dictionary_step_fast(const Objective& objective, const Moments& moments,
                                const DictionaryStepOptions& options, Matrix<double>& dictionary) {
  Matrix<double> moved = dictionary;
  StepReport report = descend(objective, moments, options, moved);
  if (options.certify && report.gap > options.gap_tolerance && options.max_fista_iterations > 0) {
    const std::size_t passes = report.iterations;
    report = dictionary_step_fista(objective, moments, options, moved);
    report.iterations += passes;
  }
  dictionary = std::move(moved);
  return report;
}

StepReport dictionary_step_fista(const Objective& objective, const Moments& moments,
                                 const DictionaryStepOptions& options, Matrix<double>& dictionary) {
  BallQuadratic problem;
  problem.apply = [&](const Matrix<double>& m) {
    throw_if_due(options);
    return parallel_product(moments.uu.view(), m.view(), *options.pool);
  };
  problem.linear = &moments.ux;
  problem.largest_eigenvalue = largest_eigenvalue(moments.uu);
  problem.set = objective.atoms;
  // |X - DU|^2 / d is 2/d times the quadratic, plus a constant.
  StepReport report = minimize_accelerated(problem, dictionary, options.gap_tolerance * objective.d() / 2,
                                           options.max_fista_iterations);
  report.gap *= 2 / objective.d();
  return report;
}

}  // namespace dualdict
