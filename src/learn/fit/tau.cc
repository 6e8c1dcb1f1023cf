// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/tau.h"

#include <algorithm>
#include <array>
#include <atomic>
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

// False when the time is over. Throws Interrupted on the caller's wish. Of one process: ranks end together, between two
// steps.
bool has_time(const WatchedPool& work, bool alone) {
  if (!alone) return true;
  try {
    work.interrupt.throw_if_due();
  } catch (const Interrupted&) {
    if (work.interrupt.is_requested()) throw;
    return false;
  }
  return true;
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
SilencingTau silencing_tau(const CodeProblem<T>& problem, const Samples<T>& samples, const WatchedPool& work) {
  const std::size_t n_atoms = problem.objective.n_atoms;
  std::vector<SilencingTau> blocks(samples.n_blocks());
  std::vector<Matrix<T>> linear(work.pool.size());
  std::atomic<std::size_t> n_done = 0;
  work.progress.begin("looking at the scale of tau", samples.n_samples(), "samples");
  work.pool.run(samples.n_blocks(), [&](std::size_t block, std::size_t worker) {
    if (block > 0 && !has_time(work, samples.alone())) return;
    if (linear[worker].empty()) linear[worker] = Matrix<T>(kBlockSamples, n_atoms);
    const MatrixView<const T> x = samples.block(block);
    const MatrixView<T> b = linear[worker].view().row_range(0, x.rows);
    multiply(plain(x), problem.weights, b);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double pull = strongest_pull(problem.objective, b.row(i));
      blocks[block].largest = std::max(blocks[block].largest, pull);
      blocks[block].mean += pull;
    }
    n_done += x.rows;
    work.progress.advance(x.rows);
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
  all.mean *= problem.objective.k() / static_cast<double>(samples.alone() ? n_done.load() : samples.n_all());
  return all;
}

template <class T>
std::optional<double> mean_nonzeros(const CodeProblem<T>& problem, const Samples<T>& samples, const CountEffort& effort,
                                    const WatchedPool& work) {
  constexpr std::size_t kPart = 32;  // samples between two looks at the clock
  const std::size_t n_blocks = Samples<T>::blocks_for(samples.n_all());
  const std::size_t count = std::min(effort.n_blocks, n_blocks);
  std::vector<MatrixView<const T>> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t block = i * n_blocks / count;
    const std::size_t last = samples.n_first(std::min((block + 1) * kBlockSamples, samples.n_all()));
    for (std::size_t first = samples.n_first(block * kBlockSamples); first < last; first += kPart)
      parts.push_back(samples.x.view().row_range(first, std::min(kPart, last - first)));
  }
  std::vector<std::size_t> nonzeros(parts.size());
  std::vector<CodeWorkspace<T>> workspaces(work.pool.size());
  std::atomic<bool> cut = false;
  work.pool.run(parts.size(), [&](std::size_t i, std::size_t worker) {
    if (!has_time(work, samples.alone())) cut = true;
    if (cut) return;
    Matrix<T> u(parts[i].rows, problem.objective.n_atoms);
    nonzeros[i] = code_step<T>(problem, parts[i], effort.codes, workspaces[worker], u.view()).nonzeros;
  });
  if (cut) return std::nullopt;
  std::array<double, 2> counts{};  // nonzeros, samples
  for (std::size_t i = 0; i < parts.size(); ++i) {
    counts[0] += static_cast<double>(nonzeros[i]);
    counts[1] += static_cast<double>(parts[i].rows);
  }
  if (!samples.alone()) samples.ranks->sum(counts);
  return counts[1] > 0 ? counts[0] / counts[1] : 0.0;
}

template <class T>
double TauSearch::start(const Samples<T>& samples, const Objective& objective, const StartOfFit& from,
                        const WatchedPool& work) const {
  constexpr int kBisections = 20;
  constexpr double kSmallest = 1e-8;  // of tau_max
  CountEffort effort{4, {}};
  effort.codes.tolerance = 1e-2;
  effort.codes.max_sweeps = 50;
  CodeProblem<T> problem;
  Objective trial = objective;
  double low = std::log(kSmallest * from.silencing.largest);
  double high = std::log(from.silencing.largest);
  work.progress.begin("choosing tau", kBisections, "trials");
  for (int step = 0; step < kBisections; ++step) {
    trial.tau = std::exp((low + high) / 2);
    problem.assign(trial, from.dictionary, from.dual, work.pool);
    const std::optional<double> nonzeros = mean_nonzeros(problem, samples, effort, work);
    if (!nonzeros) return kDefaultTauFraction * from.silencing.mean;
    (*nonzeros > wanted_ ? low : high) = std::log(trial.tau);
    work.progress.advance();
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
template SilencingTau silencing_tau<float>(const CodeProblem<float>&, const Samples<float>&, const WatchedPool&);
template SilencingTau silencing_tau<double>(const CodeProblem<double>&, const Samples<double>&, const WatchedPool&);
#define DUALDICT_INSTANTIATE(T)                                                                                 \
  template std::optional<double> mean_nonzeros<T>(const CodeProblem<T>&, const Samples<T>&, const CountEffort&, \
                                                  const WatchedPool&);                                          \
  template double TauSearch::start<T>(const Samples<T>&, const Objective&, const StartOfFit&, const WatchedPool&) const;
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
