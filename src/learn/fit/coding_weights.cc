// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/coding_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "solvers/code_step.h"

namespace dualdict {
namespace {

constexpr std::size_t kCountBlocks = 16;

// Nonzeros of a code on average, over blocks spread evenly over the samples of this rank.
template <class T>
double mean_nonzeros(const Samples<T>& samples, const Objective& objective, const Matrix<double>& dictionary,
                     const Matrix<double>& dual, ThreadPool& pool) {
  CodeOptions options;
  options.tolerance = 1e-3;
  options.max_sweeps = 200;
  CodeProblem<T> problem;
  problem.assign(objective, dictionary, dual, pool);
  const std::size_t n_blocks = std::min(kCountBlocks, samples.n_blocks());
  std::vector<std::size_t> nonzeros(n_blocks);
  std::array<double, 2> counts{};
  for (std::size_t i = 0; i < n_blocks; ++i)
    counts[1] += static_cast<double>(samples.block_size(i * samples.n_blocks() / n_blocks));
  pool.run(n_blocks, [&](std::size_t i, std::size_t) {
    const MatrixView<const T> x = samples.block(i * samples.n_blocks() / n_blocks);
    Matrix<T> u(x.rows, objective.n_atoms);
    CodeWorkspace<T> work;
    nonzeros[i] = code_step<T>(problem, x, options, work, u.view()).nonzeros;
  });
  for (const std::size_t count : nonzeros) counts[0] += static_cast<double>(count);
  if (!samples.alone()) samples.ranks->sum(counts);
  return counts[1] > 0 ? counts[0] / counts[1] : 0.0;
}

}  // namespace

double learning_nonzeros(const LearnOptions& options, std::size_t n_features) {
  constexpr double kDenser = 2, kMostOfRoom = 0.55;
  const double wanted = options.nonzeros.value_or(0);
  if (options.eta) return wanted;
  const auto room = static_cast<double>(std::min(n_features, options.n_atoms));
  return std::max(wanted, std::min(kDenser * wanted, kMostOfRoom * room));
}

template <class T>
Objective coding_objective(const Samples<T>& samples, const LearnOptions& options, const Objective& learned,
                           const Matrix<double>& dictionary, const Matrix<double>& dual, ThreadPool& pool) {
  constexpr double kNear = 5e-3, kStride = 2;
  constexpr int kMostStrides = 60, kMostHalvings = 30;
  Objective coding = learned;
  if (options.eta) return coding;
  coding.eta = 0;
  if (!options.nonzeros || !(learned.tau > 0) || !(samples.squared > 0)) return coding;
  const double wanted = *options.nonzeros;
  const auto count = [&](double tau) {
    coding.tau = tau;
    return mean_nonzeros(samples, coding, dictionary, dual, pool);
  };
  double low = learned.tau, high = learned.tau;  // taus with at least, and with at most, the wanted count
  const double first = count(learned.tau);
  if (first > wanted) {
    for (int i = 0; i < kMostStrides; ++i)
      if (count(high *= kStride) <= wanted) break;
  } else {
    double most = first;
    for (int i = 0; i < kMostStrides && most < wanted; ++i) most = count(low /= kStride);
    if (most < wanted) {  // so many cannot be had: as learned
      coding.tau = learned.tau;
      return coding;
    }
  }
  for (int i = 0; i < kMostHalvings; ++i) {
    const double nonzeros = count(std::sqrt(low * high));
    if (std::abs(nonzeros - wanted) <= kNear * wanted) break;
    (nonzeros > wanted ? low : high) = coding.tau;
  }
  return coding;
}

template Objective coding_objective<float>(const Samples<float>&, const LearnOptions&, const Objective&,
                                           const Matrix<double>&, const Matrix<double>&, ThreadPool&);
template Objective coding_objective<double>(const Samples<double>&, const LearnOptions&, const Objective&,
                                            const Matrix<double>&, const Matrix<double>&, ThreadPool&);

}  // namespace dualdict
