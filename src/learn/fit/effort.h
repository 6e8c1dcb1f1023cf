// SPDX-License-Identifier: BSD-3-Clause
// How much work a step of learning is: the one place that decides it.
#pragma once

#include <cstddef>

#include "dualdict/options.h"
#include "solvers/code_step.h"

namespace dualdict {

// What a step sees: some samples for the first time, some once more, or all of them.
enum class Visit { kFirst, kAgain, kAll };

struct StepEffort {
  CodeOptions codes;
  CodeOptions slow_codes;             // where sweeps converge slowly
  std::size_t dictionary_passes = 0;  // of block coordinate descent
  bool certify_dictionary = true;
  std::size_t dictionary_fista = 0;  // iterations, after those passes
  std::size_t dual_descent = 0;      // iterations where the dual is not solved in closed form
  std::size_t dual_fista = 0;
};
StepEffort effort_of(const LearnOptions& options, Visit visit, bool accurate);

// The codes that are reported are as exact as the precision allows.
template <class T>
CodeOptions final_codes(const LearnOptions& options);

// The gap that a step of D or C may leave for what comes after it to be called accurate.
double step_tolerance(const LearnOptions& options, double energy);

}  // namespace dualdict
