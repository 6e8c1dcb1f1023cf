// SPDX-License-Identifier: BSD-3-Clause
// The dictionary step: min over D of |X - D U|^2, atoms in the ball, from the moments UU' and UX' alone.
#pragma once

#include <cstddef>

#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "solvers/accelerated.h"
#include "solvers/objective.h"

namespace dualdict {

struct DictionaryStepOptions {
  // Stop when E can fall by no more than this through D (Frank-Wolfe gap, in the units of E).
  double gap_tolerance = 0;
  std::size_t max_passes = 5;            // of block coordinate descent
  std::size_t max_fista_iterations = 0;  // afterwards, if the gap is still too large
  bool certify = true;                   // false: max_passes passes, and a gap that nobody measured (infinite)
  ThreadPool* pool = &calling_thread();  // shares the products; the bits are the same
  const Interrupt* interrupt = nullptr;  // when it is due the step throws Interrupted and D stays as it was
};

// Block coordinate descent, an atom at a time to its exact minimiser: fast when D is near; then FISTA, which is fast
// from far away. An atom that no code uses stays as it is. Never raises E. The report's gap is in the units of E.
StepReport dictionary_step_fast(const Objective& objective, const Moments& moments,
                                const DictionaryStepOptions& options, Matrix<double>& dictionary);

// The paper's step: FISTA with sigma_D = lambda_max(UU')/d.
StepReport dictionary_step_fista(const Objective& objective, const Moments& moments,
                                 const DictionaryStepOptions& options, Matrix<double>& dictionary);

}  // namespace dualdict
