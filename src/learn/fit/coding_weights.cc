// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/coding_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "learn/fit/tau.h"

namespace dualdict {

double learning_nonzeros(const LearnOptions& options, std::size_t n_features) {
  constexpr double kDenser = 2, kMostOfRoom = 0.55;
  const double wanted = options.nonzeros.value_or(0);
  if (options.eta) return wanted;
  const auto room = static_cast<double>(std::min(n_features, options.n_atoms));
  return std::max(wanted, std::min(kDenser * wanted, kMostOfRoom * room));
}

template <class T>
Objective coding_objective(const Samples<T>& samples, const LearnOptions& options, const Objective& learned,
                           const Matrix<double>& dictionary, const Matrix<double>& dual, const WatchedPool& work) {
  constexpr double kNear = 5e-3, kStride = 2;
  constexpr int kMostStrides = 60, kMostHalvings = 30;
  Objective coding = learned;
  if (options.eta) return coding;
  coding.eta = 0;
  if (!options.nonzeros || !(learned.tau > 0) || !(samples.squared > 0)) return coding;
  const double wanted = *options.nonzeros;
  CountEffort effort{16, {}};
  effort.codes.tolerance = 1e-3;
  effort.codes.max_sweeps = 200;
  CodeProblem<T> problem;
  const auto count = [&](double tau) {
    coding.tau = tau;
    work.progress.advance();
    problem.assign(coding, dictionary, dual, work.pool);
    const std::optional<double> nonzeros = mean_nonzeros(problem, samples, effort, work);
    if (!nonzeros) throw Interrupted{};
    return *nonzeros;
  };
  double low = learned.tau, high = learned.tau;  // taus with at least, and with at most, the wanted count
  work.progress.begin("choosing the tau of codes", kMostHalvings, "trials at most");
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
                                           const Matrix<double>&, const Matrix<double>&, const WatchedPool&);
template Objective coding_objective<double>(const Samples<double>&, const LearnOptions&, const Objective&,
                                            const Matrix<double>&, const Matrix<double>&, const WatchedPool&);

}  // namespace dualdict
