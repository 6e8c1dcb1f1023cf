// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/tau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "linalg/kernels/kernels.h"

namespace dualdict {
namespace {

// What pulls hardest at a code from zero, over all atoms, given b = W x.
template <class T>
double strongest_pull(const Objective& objective, const T* b) {
  T largest = 0;
  for (std::size_t j = 0; j < objective.n_atoms; ++j)
    largest = std::max(largest, objective.positive_codes ? b[j] : std::abs(b[j]));
  return static_cast<double>(largest);
}

// Samples picked one by one, and the strongest pull of all that were picked.
template <class T>
class PickedSamples {
 public:
  PickedSamples(const CodeProblem<T>& problem, std::size_t n_features)
      : problem_(problem), x_(kBlockSamples, n_features), b_(kBlockSamples, problem.objective.n_atoms) {}

  void add(const T* sample) {
    std::copy_n(sample, x_.cols(), x_.row(count_));
    if (++count_ == kBlockSamples) measure();
  }
  double strongest() {
    measure();
    return strongest_;
  }

 private:
  void measure() {
    if (count_ == 0) return;
    const MatrixView<T> b = b_.view().row_range(0, count_);
    multiply(plain(std::as_const(x_).view().row_range(0, count_)), problem_.weights, b);
    for (std::size_t i = 0; i < count_; ++i)
      strongest_ = std::max(strongest_, strongest_pull(problem_.objective, b_.row(i)));
    count_ = 0;
  }

  const CodeProblem<T>& problem_;
  Matrix<T> x_, b_;
  std::size_t count_ = 0;
  double strongest_ = 0;
};

// Blocks whose pulls take about a second.
template <class T>
std::size_t quick_blocks(const Samples<T>& samples, std::size_t n_atoms) {
  constexpr double kQuick = 5e10;  // multiply-adds
  const double block = static_cast<double>(kBlockSamples * n_atoms) * static_cast<double>(samples.n_features());
  return std::min(samples.n_blocks(), static_cast<std::size_t>(std::ceil(kQuick / block)));
}

}  // namespace

template <class T>
double tau_max(const CodeProblem<T>& problem, const Samples<T>& samples, ThreadPool& pool) {
  const Objective& objective = problem.objective;
  const std::size_t d = samples.n_features();
  const std::size_t n_blocks = quick_blocks(samples, objective.n_atoms);
  const auto squared = [d](const T* sample) { return kernels<T>().squared_norm(sample, d); };

  // The longest sample of every block is likely to be pulled hard.
  std::vector<const T*> longest(n_blocks);
  pool.run(n_blocks, [&](std::size_t block, std::size_t) {
    const MatrixView<const T> x = samples.block(block);
    double most = -1;
    for (std::size_t i = 0; i < x.rows; ++i)
      if (const double length = squared(x.row(i)); length > most) {
        most = length;
        longest[block] = x.row(i);
      }
  });
  PickedSamples<T> first(problem, d);
  for (const T* sample : longest) first.add(sample);
  double strongest = first.strongest();

  // Atoms and filters are no longer than 1, so that no pull exceeds |x| (1/d + eta/K): the others can be left out.
  const double reach = (1 + 1e-4) * (1 / objective.d() + objective.eta / objective.k());
  const double enough = strongest * strongest / (reach * reach);
  std::vector<std::optional<PickedSamples<T>>> picked(pool.size());
  pool.run(n_blocks, [&](std::size_t block, std::size_t worker) {
    const MatrixView<const T> x = samples.block(block);
    for (std::size_t i = 0; i < x.rows; ++i) {
      if (squared(x.row(i)) <= enough) continue;
      if (!picked[worker]) picked[worker].emplace(problem, d);
      picked[worker]->add(x.row(i));
    }
  });
  for (auto& mine : picked)
    if (mine) strongest = std::max(strongest, mine->strongest());
  if (!samples.alone()) samples.ranks->max(std::span(&strongest, 1));
  return strongest * objective.k();
}

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
      const double pull = strongest_pull(problem.objective, b.row(i));
      blocks[block].largest = std::max(blocks[block].largest, pull);
      blocks[block].mean += pull;
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

template double tau_max<float>(const CodeProblem<float>&, const Samples<float>&, ThreadPool&);
template double tau_max<double>(const CodeProblem<double>&, const Samples<double>&, ThreadPool&);
template SilencingTau silencing_tau<float>(const CodeProblem<float>&, const Samples<float>&, ThreadPool&);
template SilencingTau silencing_tau<double>(const CodeProblem<double>&, const Samples<double>&, ThreadPool&);
template double TauSearch::start<float>(const Samples<float>&, const Objective&, const Matrix<double>&,
                                        const Matrix<double>&, double) const;
template double TauSearch::start<double>(const Samples<double>&, const Objective&, const Matrix<double>&,
                                         const Matrix<double>&, double) const;

}  // namespace dualdict
