// SPDX-License-Identifier: BSD-3-Clause
#include "learn/tau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace dualdict {

template <class T>
SilencingTau silencing_tau(const CodeProblem<T>& problem, const Samples<T>& samples, ThreadPool& pool) {
  const std::size_t n_atoms = problem.objective.n_atoms;
  std::vector<SilencingTau> blocks(samples.n_blocks());
  std::vector<Matrix<T>> linear(pool.size());
  pool.run(samples.n_blocks(), [&](std::size_t block, std::size_t worker) {
    if (linear[worker].empty()) linear[worker] = Matrix<T>(kBlockSamples, n_atoms);
    const MatrixView<const T> x = samples.block(block);
    const MatrixView<T> b = linear[worker].view().row_range(0, x.rows);
    multiply(plain(x), problem.weights, b);
    for (std::size_t i = 0; i < x.rows; ++i) {
      T largest = 0;
      for (std::size_t j = 0; j < n_atoms; ++j)
        largest = std::max(largest, problem.objective.positive_codes ? b(i, j) : std::abs(b(i, j)));
      blocks[block].largest = std::max(blocks[block].largest, static_cast<double>(largest));
      blocks[block].mean += static_cast<double>(largest);
    }
  });
  SilencingTau all;
  for (const SilencingTau& block : blocks) {
    all.largest = std::max(all.largest, block.largest);
    all.mean += block.mean;
  }
  if (!samples.alone()) {
    samples.ranks->sum(std::span(&all.mean, 1));
    samples.ranks->max(std::span(&all.largest, 1));
  }
  all.largest *= problem.objective.k();
  all.mean *= problem.objective.k() / static_cast<double>(samples.n_all());
  return all;
}

template <class T>
double TauSearch::start(const Samples<T>& samples, const Objective& objective, const Matrix<double>& dictionary,
                        const Matrix<double>& dual, double tau_max) const {
  constexpr std::size_t kBlocks = 4;
  constexpr int kBisections = 20;
  constexpr double kSmallest = 1e-8;  // of tau_max
  CodeOptions options;
  options.tolerance = 1e-2;
  options.max_sweeps = 50;
  CodeWorkspace<T> work;
  CodeProblem<T> problem;
  Objective trial = objective;
  double low = std::log(kSmallest * tau_max);
  double high = std::log(tau_max);
  for (int step = 0; step < kBisections; ++step) {
    trial.tau = std::exp((low + high) / 2);
    problem.assign(trial, dictionary, dual);
    std::array<double, 2> counts{};  // nonzeros, samples
    // Blocks spread evenly over the samples of all ranks; of each block a rank codes what it has.
    const std::size_t n_blocks = Samples<T>::blocks_for(samples.n_all());
    const std::size_t count = std::min(kBlocks, n_blocks);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t block = i * n_blocks / count;
      const std::size_t first = samples.n_first(block * kBlockSamples);
      const std::size_t last = samples.n_first(std::min((block + 1) * kBlockSamples, samples.n_all()));
      if (first == last) continue;
      const MatrixView<const T> x = samples.x.view().row_range(first, last - first);
      Matrix<T> u(x.rows, objective.n_atoms);
      counts[0] += static_cast<double>(code_step<T>(problem, x, options, work, u.view()).nonzeros);
      counts[1] += static_cast<double>(x.rows);
    }
    if (!samples.alone()) samples.ranks->sum(counts);
    (counts[0] / counts[1] > wanted_ ? low : high) = std::log(trial.tau);
  }
  return trial.tau;
}

double TauSearch::next(double tau, double nonzeros) {
  constexpr double kTolerance = 0.02;
  constexpr std::size_t kMaxMoves = 60;
  constexpr double kLargestStep = 0.7;
  const double log_tau = std::log(tau);
  // Far from 0 and from K the logarithm is nearly linear in log tau; keep it finite at zero nonzeros.
  const double log_nonzeros = std::log(std::max(nonzeros, 1e-3 * wanted_));
  double slope = -0.8;  // d log(nonzeros) / d log(tau)
  if (state_.moves > 0 && std::abs(log_tau - state_.last_log_tau) > 1e-3)
    slope = std::clamp((log_nonzeros - state_.last_log_nonzeros) / (log_tau - state_.last_log_tau), -4.0, -0.25);
  if (std::abs(nonzeros / wanted_ - 1) <= kTolerance || state_.moves >= kMaxMoves) return tau;
  ++state_.moves;
  state_.last_log_tau = log_tau;
  state_.last_log_nonzeros = log_nonzeros;
  const double step = (std::log(wanted_) - log_nonzeros) / slope;
  return std::exp(log_tau + std::clamp(step, -kLargestStep, kLargestStep));
}

template SilencingTau silencing_tau<float>(const CodeProblem<float>&, const Samples<float>&, ThreadPool&);
template SilencingTau silencing_tau<double>(const CodeProblem<double>&, const Samples<double>&, ThreadPool&);
template double TauSearch::start<float>(const Samples<float>&, const Objective&, const Matrix<double>&,
                                        const Matrix<double>&, double) const;
template double TauSearch::start<double>(const Samples<double>&, const Objective&, const Matrix<double>&,
                                         const Matrix<double>&, double) const;

}  // namespace dualdict
