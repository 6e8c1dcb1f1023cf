// SPDX-License-Identifier: BSD-3-Clause
// A fit as plain values: all that goes from step to step, and all that a checkpoint or a pickled learner keeps, but for
// the codes of samples in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "dualdict/matrix.h"
#include "dualdict/summary.h"
#include "learn/fit/extrapolation.h"
#include "learn/fit/l0_state.h"
#include "learn/fit/stopping.h"
#include "learn/fit/tau.h"
#include "learn/samples/code_pass.h"
#include "solvers/objective.h"

namespace dualdict {

// Steps on a few samples at a time, on sums that fade: the warm-up of samples in memory, and every pass over a stream.
// The faded sums themselves are the moments.
struct FadingPosition {
  bool began = false;
  bool finished = false;
  std::size_t step = 0;        // done
  std::size_t n_seen = 0;      // samples, each as often as it was seen
  double weight = 0;           // of the faded sums, in samples
  double round_energy = 0;     // sum over the steps of this round in which it was measured
  double round_nonzeros = 0;   // per code, sum over all of its steps
  std::size_t round_step = 0;  // done of this round
  std::size_t round = 0;
  double last_energy = std::numeric_limits<double>::max();  // mean of the round before

  // After a step; energy: 0 when it was not measured.
  void add(const PassReport& pass, double energy) {
    ++step;
    ++round_step;
    n_seen += pass.n_samples;
    round_energy += energy;
    round_nonzeros += static_cast<double>(pass.codes.nonzeros) / static_cast<double>(pass.n_samples);
  }
  void begin_round() {
    round_step = 0;
    round_energy = round_nonzeros = 0;
  }
};

// Who uses the atoms, and how often each has been replaced.
struct AtomUse {
  std::vector<std::size_t> usage;     // samples that used each, in the last pass over all or since the stream began
  std::vector<std::size_t> looked;    // the same when unused atoms were last looked for, in a stream
  std::vector<std::size_t> replaced;  // times
  std::size_t n_replaced = 0;         // all of them
};

// The sums that a part of a stream left when it was last gone through.
struct Chapter {
  Matrix<double> uu, ux;
  double sum_abs_codes = 0;
  std::size_t n = 0;
};
struct Chapters {
  std::size_t length = 0;  // samples of a chapter; 0: none are kept
  std::vector<Chapter> done;
  Chapter now;         // the new sums of the one that is being read
  std::size_t at = 0;  // its index
  double left = 1;     // share of its old sums still in the total
  Matrix<double> xx;   // sums that no pass changes
  double squared_samples = 0;
};

// The numbers of samples seen after which something is due again in a stream.
struct StreamSchedule {
  std::size_t dual = 0;  // C moves
  std::size_t tau = 0;   // may move
  std::size_t look = 0;  // unused atoms are replaced
  std::size_t report = 0;
};

// Where a stream stands, and what is kept of it.
struct StreamPosition {
  std::size_t pass = 0;
  std::size_t n_read = 0;     // samples of this pass, of all ranks
  std::size_t n_samples = 0;  // of the first pass so far
  StreamSchedule next;
  std::uint64_t fingerprint = 0;      // of the first samples: whether it is the same stream that goes on
  std::vector<double> feature_means;  // where they are subtracted
  Matrix<double> kept;                // a random choice of the samples, preprocessed
  Chapters chapters;                  // where there is a second pass
};

// What is known of tau beyond its value.
struct TauState {
  std::optional<TauSearch> search;  // where a number of nonzeros is wanted
  double max = 0;                   // tau_max at the start
};

struct FitState {
  Objective objective;        // its tau, or price, moves
  Matrix<double> dictionary;  // D, K x d, rounded to the precision of the codes; empty before the start
  Matrix<double> dual;        // C, the same; with penalty l0 W of the hard encoder, empty before there is one
  Moments moments;            // the sums that D and C step on
  double energy = 0;          // E after the last accepted step; while sums fade an estimate
  bool accurate = false;      // steps are run to full accuracy from now on
  FadingPosition fading;
  Extrapolation extrapolation;
  StoppingRule rule;
  AtomUse atoms;
  TauState tau;
  L0State l0;  // with penalty l0
  StreamPosition stream;
  double seconds = 0;  // since the start, earlier runs included; as of the last checkpoint
  std::vector<IterationRecord> iterations;
};

}  // namespace dualdict
