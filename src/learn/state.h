// SPDX-License-Identifier: BSD-3-Clause
// All that goes from iteration to iteration: what a checkpoint keeps, and what going on from it needs.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "dualdict/matrix.h"
#include "dualdict/summary.h"
#include "learn/atoms.h"
#include "learn/code_store.h"
#include "learn/extrapolation.h"
#include "learn/stopping.h"
#include "learn/tau.h"
#include "solvers/objective.h"

namespace dualdict {

// How far the warm-up has come. The faded sums themselves are the moments.
struct WarmUpPosition {
  std::size_t step = 0;        // done
  std::size_t n_seen = 0;      // samples, each as often as it was seen
  double weight = 0;           // of the faded sums, in samples
  double round_energy = 0;     // sum over the steps of this round in which it was measured
  double round_nonzeros = 0;   // per code, sum over all of its steps
  std::size_t round_step = 0;  // done of this round
  std::size_t round = 0;
  double last_energy = std::numeric_limits<double>::max();  // mean of the round before
  bool finished = false;
};

// The learner's own variables, by reference: written to a file and read back in place.
template <class T>
struct LearnState {
  Matrix<double>& dictionary;  // K x d
  Matrix<double>& dual;        // K x d
  CodeStore<T>& codes;         // N x K
  Moments& moments;            // uu, ux and sum_abs_codes; the rest comes from the samples
  std::vector<std::size_t>& usage;
  double& tau;
  double& energy;
  bool& warmed_up;
  bool& accurate;
  WarmUpPosition& warm_up;
  Extrapolation::State& extrapolation;
  StoppingRule& rule;
  std::vector<std::size_t>& replaced;  // times per atom
  std::optional<TauSearch>& tau_search;
  LearnSummary& summary;  // tau_max, replaced_atoms and the iterations
  double& seconds;        // since the start, earlier runs included
};

}  // namespace dualdict
