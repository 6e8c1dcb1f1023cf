// SPDX-License-Identifier: BSD-3-Clause
// One step of learning, whatever the samples come from: codes, unused atoms, sums, D, C. Algorithm 1 of the paper.
#pragma once

#include <functional>
#include <optional>

#include "core/thread_pool.h"
#include "learn/fit/control.h"
#include "learn/fit/effort.h"
#include "learn/fit/l0_coder.h"
#include "learn/fit/state.h"
#include "learn/fit/sums.h"
#include "learn/samples/batch.h"
#include "learn/samples/code_pass.h"
#include "solvers/dual_step.h"

namespace dualdict {

enum class Measure { kNothing, kCodes, kAll };

struct StepPlan {
  Visit visit = Visit::kAll;
  bool accurate = false;
  bool replace_unused = false;
  bool move_dual = true;  // with eta > 0
  // E after the code step, which becomes state.energy, and after each of the others.
  Measure measure = Measure::kCodes;
};

struct LearnStep {
  PassReport pass;
  double energy_after_codes = 0;
  double energy_after_dictionary = 0;
  Energy energy;        // after all
  double step_gap = 0;  // what D and C leave on the table, in the units of E
  std::size_t replaced_atoms = 0;
};

template <class T>
class Stepper {
 public:
  // All outlive it. The code step hears the interrupt.
  Stepper(Control& control, ThreadPool& pool, const Interrupt& interrupt);

  LearnStep step(FitState& state, const Batch<T>& batch, SumRule& rule, const StepPlan& plan);
  // The two halves of a step, for codes that are made elsewhere. Before the second the rule has begun, and the sums of
  // the codes, of all who made some, are in the moments; `replace` replaces unused atoms and says how many.
  PassReport make_codes(FitState& state, const Batch<T>& batch, const StepPlan& plan);
  LearnStep follow_codes(FitState& state, const PassReport& pass, SumRule& rule, const StepPlan& plan,
                         const std::function<std::size_t()>& replace);
  // XX' or what stands for it is in the moments: made ready for the steps of C.
  void prepare_dual(const Moments& moments, const Interrupt& interrupt);
  // C for the sums as they are, accurately.
  void follow_sums(FitState& state);
  // The code step alone, with the D and C of the state and the sums of all ranks in its moments; greedy codes are
  // from zero.
  PassReport code(FitState& state, const Batch<T>& batch, const CodeOptions& options);
  // For a wanted number of nonzeros: moves tau, and E with it; true when it did.
  bool follow_nonzeros(FitState& state, double nonzeros) const;
  // E of the state as its moments have it.
  Energy energy(const FitState& state) const;

 private:
  // What codes with the D and C of the state as they are: the one place that chooses.
  BatchCoder<T>& coder_of(const FitState& state, const StepPlan& plan, const StepEffort& effort);
  PassReport run_codes(FitState& state, const Batch<T>& batch, BatchCoder<T>& coder);
  void count_uses(FitState& state, const StepPlan& plan, const PassReport& pass) const;
  // These return the gap that they leave.
  double move_dictionary(FitState& state, const StepEffort& effort) const;
  double move_dual(FitState& state, const StepEffort& effort) const;

  Control& control_;
  ThreadPool& pool_;
  const Interrupt& interrupt_;
  L1Coder<T> l1_coder_;
  L0Coder<T> l0_coder_;
  std::optional<CodePass<T>> pass_;  // made when it is first needed
  std::optional<DualSolver> dual_solver_;
};

}  // namespace dualdict
