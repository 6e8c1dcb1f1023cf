// SPDX-License-Identifier: BSD-3-Clause
// Which tau to take: its scale in the data, a default, and the search for a wanted number of nonzeros.
#pragma once

#include <cstddef>
#include <optional>

#include "core/watched_pool.h"
#include "learn/samples/samples.h"
#include "solvers/code_problem.h"
#include "solvers/code_step.h"

namespace dualdict {

// The tau at which a sample's code becomes zero is max_j |(K/d) d_j'x + eta c_j'x|.
struct SilencingTau {
  double largest = 0;  // over the samples: tau_max, the smallest tau with U = 0
  double mean = 0;     // over the samples
};
// When the time is over, over the samples that were looked at. Throws Interrupted on the caller's wish.
template <class T>
SilencingTau silencing_tau(const CodeProblem<T>& problem, const Samples<T>& samples, const WatchedPool& work);
// Its largest alone, for what is said before every sample is coded: of the longest samples only, and where
// even these are so many that it would take long (thousands of atoms), of the first samples of each rank. D and C must
// be in the ball.
template <class T>
double tau_max(const CodeProblem<T>& problem, const Samples<T>& samples, ThreadPool& pool);

// The default, when neither tau nor nonzeros are given.
inline constexpr double kDefaultTauFraction = 0.1;  // of SilencingTau::mean

// Nonzeros of a code on average, over blocks spread evenly over the samples of all ranks: of each a rank codes what it
// has. Nothing when the time is over. Throws Interrupted on the caller's wish. All ranks call this together.
struct CountEffort {
  std::size_t n_blocks = 1;
  CodeOptions codes;
};
template <class T>
std::optional<double> mean_nonzeros(const CodeProblem<T>& problem, const Samples<T>& samples, const CountEffort& effort,
                                    const WatchedPool& work);

// What the first tau is found with.
struct StartOfFit {
  const Matrix<double>& dictionary;
  const Matrix<double>& dual;
  SilencingTau silencing;
};

// Follows the number of nonzeros from iteration to iteration and moves tau towards the wanted one.
class TauSearch {
 public:
  explicit TauSearch(double wanted) : wanted_(wanted) {}

  // A first tau: bisection with the starting D and C on some of the samples. Throws Interrupted on the caller's wish;
  // when the time is over before it has found one, the default.
  template <class T>
  double start(const Samples<T>& samples, const Objective& objective, const StartOfFit& from,
               const WatchedPool& work) const;

  // The tau for the next iteration; the same one when `nonzeros` is within 2 % of the wanted number or the bounded
  // number of moves is used up.
  double next(double tau, double nonzeros);

  struct State {
    std::size_t moves = 0;
    double last_log_tau = 0;
    double last_log_nonzeros = 0;
  };
  State& state() { return state_; }

 private:
  double wanted_;
  State state_;
};

}  // namespace dualdict
