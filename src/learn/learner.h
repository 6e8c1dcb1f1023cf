// SPDX-License-Identifier: BSD-3-Clause
// One fit: the state that goes from iteration to iteration.
#pragma once

#include <optional>

#include "core/clock.h"
#include "core/communicator.h"
#include "core/thread_pool.h"
#include "dualdict/learn.h"
#include "learn/atoms.h"
#include "learn/checkpoint.h"
#include "learn/code_pass.h"
#include "learn/extrapolation.h"
#include "learn/interrupt.h"
#include "learn/samples.h"
#include "learn/state.h"
#include "learn/stopping.h"
#include "learn/tau.h"
#include "solvers/code_problem.h"
#include "solvers/dual_step.h"
#include "solvers/objective.h"

namespace dualdict {

template <class T>
class Learner {
 public:
  Learner(const DataSource& data, const LearnOptions& options, const LearnContext& context);
  // Runs to the end and hands over the model. Once per Learner.
  LearnResult run();

 private:
  // The start, or where the checkpoint left off.
  void begin();
  void initialise();
  void choose_tau();
  // Iterations on growing draws of the samples, not reported: a good start for little.
  void warm_up();
  // One of them, on the first n samples; false when the draw has given what it can.
  bool warm_up_step(std::size_t n);
  // Between two iterations: writes the checkpoint when it is time, and ends here when the caller wishes.
  void pause();
  // By reference, with the time until now counted in.
  LearnState<T> state();
  // One outer iteration over all samples, its record and the tests that may end the fit. Returns whether to go on.
  bool iterate();
  // Codes, unused atoms, dictionary, dual, as in the paper, on the first n samples, from (D, C) led ahead when `lead`.
  IterationRecord step(std::size_t n, bool lead);
  // Back to D and C before the last step, which raised E, and on from there without a lead.
  IterationRecord retreat();
  // The sums over n samples become the estimate of the sums over all.
  void scale_moments(std::size_t n);
  // The gap that an accurate step of D or C may leave.
  double step_tolerance(double energy) const;
  void update_dictionary(double energy);
  void update_dual(double energy);
  // After an iteration: the tests that can end the fit, and the callback's wish.
  bool should_continue(const IterationRecord& record);
  // For a wanted number of nonzeros: moves tau; true when it did.
  bool move_tau(double nonzeros);
  CodeOptions code_options() const;
  // Since the start, earlier runs included.
  double seconds() const { return earlier_seconds_ + clock_.seconds(); }
  void sum_over_ranks();
  void say(const std::string& message) const;

  // The last codes for the final D and C, what they measure, and the model with its encoders.
  void measure_result();
  // The exact codes; false when the caller wished to end before they were done.
  bool code_exactly();
  LearnResult make_result();

  const DataSource& data_;
  const LearnOptions& options_;
  const LearnContext& context_;
  Stopwatch clock_;
  double earlier_seconds_ = 0;
  Interrupt interrupt_;
  Checkpoint checkpoint_;
  ThreadPool pool_;
  SingleProcess alone_;
  Communicator& communicator_;
  Transform transform_;
  Samples<T> samples_;
  Objective objective_;
  Matrix<double> dictionary_;  // D, rounded to T
  Matrix<double> dual_;        // C, rounded to T
  Matrix<T> codes_;            // U
  Moments moments_;
  CodeProblem<T> problem_;
  CodePass<T> pass_;
  AtomReplacer replacer_;
  DualSolver dual_solver_;
  StoppingRule rule_;
  Extrapolation extrapolation_;
  double energy_ = 0;  // E after the last accepted step
  std::optional<TauSearch> tau_search_;
  WarmUpPosition warm_up_;
  bool warmed_up_ = false;  // on draws of the samples, before the first iteration
  bool accurate_;           // the steps are run to full accuracy from now on
  double step_gap_ = 0;     // what D and C leave on the table, in the units of E
  std::vector<std::size_t> usage_;
  LearnSummary summary_;
};

}  // namespace dualdict
