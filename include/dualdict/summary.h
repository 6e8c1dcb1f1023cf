// SPDX-License-Identifier: BSD-3-Clause
// What a fit reports: every iteration, how it ended, what it measured. A record lists its fields once, in
// for_each_field; dualdict/fields.h makes JSON, Python's dicts and checkpoints from these lists.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/export.h"
#include "dualdict/options.h"

namespace dualdict {

// How a fit ended.
enum class Outcome {
  kConverged,  // the stopping rule fired with accurate steps and a measured certificate; not "the global optimum"
  kIterationLimit,
  kTimeLimit,
  kStopped,           // a callback said so
  kInterrupted,       // a signal, through LearnHooks::interrupt
  kTrivial,           // all codes are zero: tau >= tau_max
  kNumericalFailure,  // the starting state, before any iteration
};
// "CONVERGED", "ITERATION_LIMIT", ...
DUALDICT_API std::string_view outcome_name(Outcome outcome);

// The terms of E, each with its weight, summed over the samples.
struct Energy {
  double reconstruction = 0;  // 1/d |X - D U|^2
  double coding = 0;          // eta/K |U - C X|^2
  double l1 = 0;              // 2 tau/K sum|U|
  double l2 = 0;              // mu/K |U|^2
  double l0 = 0;              // price/d |U|_0, with penalty l0 instead of the three before
  double total() const { return reconstruction + coding + l1 + l2 + l0; }

  // visit(name, value) for every field of `self`, an Energy or a const one; so in every record below.
  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("reconstruction", self.reconstruction);
    visit("coding", self.coding);
    visit("l1", self.l1);
    visit("l2", self.l2);
    visit("l0", self.l0);
  }
};

// One outer iteration: codes, replaced atoms, D, C.
struct IterationRecord {
  std::size_t iteration = 0;           // from 1
  double seconds = 0;                  // since the start
  Energy energy;                       // after the iteration's D and C steps
  bool extrapolated = false;           // D and C were led ahead along their last change before the code step
  double energy_before_codes = 0;      // total E of these D and C with the codes of the iteration before
  double energy_after_codes = 0;       // total E after the code step, before atoms are replaced
  double energy_after_dictionary = 0;  // total E after the dictionary step
  double tau = 0;                      // moves only while the tau for `nonzeros` is sought
  bool tau_moved = false;              // since the iteration before: E weighs its terms anew and may go up
  double relative_change = 0;          // (E_H - E_t) / E_H; compared with rtol
  double nonzeros_per_code = 0;
  std::size_t dead_atoms = 0;      // unused by every sample after the code step
  std::size_t replaced_atoms = 0;  // in this iteration
  double duality_gap = 0;          // of the codes just computed, relative to E; an upper bound
  double dictionary_change = 0;    // |D_t - D_{t-1}| / |D_{t-1}|
  double dual_change = 0;          // the same of C
  bool accurate = false;           // the code step was run to inner_tolerance

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("iteration", self.iteration);
    visit("seconds", self.seconds);
    visit("energy", self.energy);
    visit("extrapolated", self.extrapolated);
    visit("energy_before_codes", self.energy_before_codes);
    visit("energy_after_codes", self.energy_after_codes);
    visit("energy_after_dictionary", self.energy_after_dictionary);
    visit("tau", self.tau);
    visit("tau_moved", self.tau_moved);
    visit("relative_change", self.relative_change);
    visit("nonzeros_per_code", self.nonzeros_per_code);
    visit("dead_atoms", self.dead_atoms);
    visit("replaced_atoms", self.replaced_atoms);
    visit("duality_gap", self.duality_gap);
    visit("dictionary_change", self.dictionary_change);
    visit("dual_change", self.dual_change);
    visit("accurate", self.accurate);
  }
};

struct LearnSummary {
  Outcome outcome = Outcome::kNumericalFailure;
  std::string message = "not started";  // why it ended, with the numbers compared
  std::vector<IterationRecord> iterations;
  std::size_t n_iterations = 0;  // their number; a model file keeps it without the records
  double seconds = 0;
  double reading_seconds = 0;  // of these, until the samples were in memory; not kept in a model file
  std::size_t n_samples = 0;
  std::size_t n_features = 0;
  // For the D and C of the model and the exact codes of all samples under them:
  Energy energy;
  double nonzeros_per_code = 0;
  double duality_gap = 0;          // sum of the columns' gaps relative to E
  double max_kkt_residual = 0;     // largest violation of a code's optimality condition, in units of tau/K
  double tau = 0;                  // used
  double tau_max = 0;              // smallest tau with U = 0: max |(K/d) D'X + eta C X|
  double coding_weight = 0;        // eta d/K, the weight of coding relative to reconstruction while D was learned
  double threshold = 0;            // tau d/K, the lambda of 1/2|x - D u|^2 + lambda |u|_1
  std::size_t replaced_atoms = 0;  // in all iterations
  std::optional<std::size_t> dead_atoms = 0;  // nothing: interrupted before they were counted
  // Why a stream ended before it should; what was read before is learned. Empty when it did not.
  std::string input_error;
  // What the table of modes says against the model, with the options that would help; empty when nothing.
  std::string advice;
  LearnOptions given;  // as passed in, without the starting matrices
  LearnOptions used;   // tau, n_threads filled in

  // Of all but the records of the iterations and the options, which have a table of their own.
  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("outcome", self.outcome);
    visit("message", self.message);
    visit("iterations", self.n_iterations);
    visit("seconds", self.seconds);
    visit("reading_seconds", self.reading_seconds);
    visit("n_samples", self.n_samples);
    visit("n_features", self.n_features);
    visit("energy", self.energy);
    visit("nonzeros_per_code", self.nonzeros_per_code);
    visit("duality_gap", self.duality_gap);
    visit("max_kkt_residual", self.max_kkt_residual);
    visit("tau", self.tau);
    visit("tau_max", self.tau_max);
    visit("coding_weight", self.coding_weight);
    visit("threshold", self.threshold);
    visit("replaced_atoms", self.replaced_atoms);
    visit("dead_atoms", self.dead_atoms);
    visit("input_error", self.input_error);
    visit("advice", self.advice);
  }
};

}  // namespace dualdict
