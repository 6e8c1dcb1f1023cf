// SPDX-License-Identifier: BSD-3-Clause
// One fit: the state that goes from iteration to iteration.
#pragma once

#include <optional>

#include "core/clock.h"
#include "core/communicator.h"
#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "dualdict/learn.h"
#include "learn/atoms.h"
#include "learn/checkpoint.h"
#include "learn/code_pass.h"
#include "learn/code_store.h"
#include "learn/extrapolation.h"
#include "learn/ranks.h"
#include "learn/samples.h"
#include "learn/shared_pass.h"
#include "learn/state.h"
#include "learn/stopping.h"
#include "learn/tau.h"
#include "learn/warm_up.h"
#include "solvers/code_problem.h"
#include "solvers/dual_step.h"
#include "solvers/objective.h"

namespace dualdict {

template <class T>
class Learner {
 public:
  Learner(const DataSource& data, const LearnOptions& options, const LearnContext& context, Ranks& ranks);
  // Runs to the end and hands over the model. Once per Learner.
  LearnResult run();

 private:
  // The start, or where the checkpoint left off.
  void begin();
  void initialise();
  void choose_tau();
  // Steps on a few samples each, not reported: a good start for little.
  void warm_up();
  void warm_up_step(const WarmUpSchedule& schedule);
  // E for the sums of a step, brought to the |X|^2 of all samples from their own: it would rise and fall with the
  // lengths of the step's samples otherwise.
  double energy_of_step(double squared);
  // After a step: false when a round is over and has given too little for another.
  bool warm_up_goes_on(const WarmUpSchedule& schedule);
  // Between two iterations: writes the checkpoint when it is time, and ends here when the caller wishes.
  void pause();
  void write_checkpoint();
  // By reference, with the time until now counted in.
  LearnState<T> state();
  // One outer iteration over all samples, its record and the tests that may end the fit. Returns whether to go on.
  bool iterate();
  // Codes, unused atoms, dictionary, dual, as in the paper, from (D, C) led ahead when `lead`.
  IterationRecord step(bool lead);
  // Back to D and C before the last step, which raised E, and on from there without a lead.
  IterationRecord retreat();
  // The code step on this rank's share of the first n samples, and the sums of all ranks.
  PassReport code(SampleRange range, const CodeOptions& options, CodePass<T>& pass);
  // The sums over some samples become the estimate of the sums over all.
  void scale_moments(double factor);
  // D and C, led ahead, back into the ball and to the precision of the codes.
  void round_to_feasible();
  // The gap that an accurate step of D or C may leave.
  double step_tolerance(double energy) const;
  void update_dictionary(double energy);
  // Sums XX' and factors it.
  void prepare_dual_step(const Interrupt& interrupt);
  void update_dual(double energy);
  // After an iteration: the tests that can end the fit, and the callback's wish.
  bool should_continue(const IterationRecord& record);
  // For a wanted number of nonzeros: moves tau; true when it did.
  bool move_tau(double nonzeros);
  CodeOptions code_options() const;
  // Since the start, earlier runs included. With several ranks that of rank 0 at the last sum, so that all decide
  // alike.
  double seconds() const { return ranks_.alone() ? own_seconds() : agreed_.seconds; }
  double own_seconds() const { return earlier_seconds_ + clock_.seconds(); }
  // The caller wishes to end and keep the work; known to all ranks.
  bool should_pause() const { return ranks_.alone() ? interrupt_.is_requested() : agreed_.interrupt; }
  // Tells the callback of an iteration; true when it, on some rank, wishes to stop.
  bool report(const IterationRecord& record);
  void say(const std::string& message) const;

  // The last codes for the final D and C, what they measure, and the model with its encoders.
  void measure_result();
  // The exact codes; false when the caller wished to end before they were done.
  bool code_exactly();
  void fit_encoders(ModelParts& parts);
  LearnResult make_result();

  const DataSource& data_;
  const LearnOptions& options_;
  const LearnContext& context_;
  Ranks& ranks_;
  Wishes mine_;    // to be told at the next sum
  Wishes agreed_;  // at the last sum
  Stopwatch clock_;
  double earlier_seconds_ = 0;
  Interrupt interrupt_;
  Checkpoint checkpoint_;
  ThreadPool pool_;
  Transform transform_;
  Samples<T> samples_;
  double reading_seconds_ = clock_.seconds();
  Objective objective_;
  Matrix<double> dictionary_;  // D, rounded to T
  Matrix<double> dual_;        // C, rounded to T
  CodeStore<T> codes_;         // U
  Moments moments_;
  CodeProblem<T> problem_;
  std::optional<CodePass<T>> pass_;  // until learning ends
  AtomReplacer replacer_;
  std::optional<DualSolver> dual_solver_;  // with eta = 0 not before the end: C is outside of E
  StoppingRule rule_;
  Extrapolation extrapolation_;
  double energy_ = 0;  // E after the last accepted step; in the warm-up an estimate
  Moments faded_;      // the sums of codes before a step of the warm-up
  std::optional<TauSearch> tau_search_;
  WarmUpPosition warm_up_;
  bool warmed_up_ = false;  // on a few samples at a time, before the first iteration
  bool accurate_;           // the steps are run to full accuracy from now on
  double step_gap_ = 0;     // what D and C leave on the table, in the units of E
  std::vector<std::size_t> usage_;
  LearnSummary summary_;
};

}  // namespace dualdict
