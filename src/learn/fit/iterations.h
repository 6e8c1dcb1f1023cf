// SPDX-License-Identifier: BSD-3-Clause
// What learning decides between the passes over all samples: the warm-up and when it ends, an iteration's lead and
// retreat, its record, the tests that may end the fit. Who makes the codes, and where, is no matter of it.
#pragma once

#include "core/thread_pool.h"
#include "learn/fit/control.h"
#include "learn/fit/state.h"
#include "learn/fit/step.h"
#include "learn/fit/warm_up.h"

namespace dualdict {

// What an iteration remembers until its codes are there.
struct OpenIteration {
  Matrix<double> dictionary, dual;  // before it
  double energy = 0;                // the same
  bool retreats = false;            // it raised E, went back, and is made once more
  bool was_accurate = false;        // the state's, before it went back
  IterationRecord record;
};

template <class T>
class Iterations {
 public:
  // All outlive it.
  Iterations(Control& control, Stepper<T>& stepper, std::size_t n_all)
      : control_(control), stepper_(stepper), n_all_(n_all) {}

  // The start has been made: the energies that the stopping rule compares begin.
  void begin(FitState& state) const;
  // Whether a fit with these options warms up at all; the paper's algorithm does not.
  bool wants_warm_up() const;
  StepPlan warm_up_plan(const FitState& state) const;
  // After a step: false when a round is over and has given too little for another, and the warm-up with it.
  bool warm_up_goes_on(FitState& state, const WarmUpSchedule& schedule, const LearnStep& report,
                       const StepPlan& plan) const;

  // D and C are led ahead. Then all samples are coded by the plan, and a step follows.
  OpenIteration open(FitState& state) const;
  StepPlan plan(const FitState& state) const;
  // After the step: false when E rose, D and C went back, and the iteration asks for another pass and step.
  bool close(FitState& state, OpenIteration& now, const LearnStep& report) const;
  // Its record and the tests that may end the fit: whether to go on.
  bool should_continue(FitState& state, const OpenIteration& now, bool zero_samples, LearnSummary& summary) const;

 private:
  void begin_record(FitState& state, bool lead, IterationRecord& record) const;
  void fill_record(const FitState& state, const LearnStep& report, IterationRecord& record) const;

  Control& control_;
  Stepper<T>& stepper_;
  std::size_t n_all_;
};

}  // namespace dualdict
