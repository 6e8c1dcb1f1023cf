// SPDX-License-Identifier: BSD-3-Clause
// What learning with penalty l0 does with samples in memory before D steps on all there are: a dictionary from samples,
// the hard encoder, and D for greedy codes that start from hard ones. D of many atoms is done before the hard encoder,
// and nothing steps on all samples. Small pieces of work; where it stands is in the state alone.
#pragma once

#include <optional>

#include "learn/fit/l0_wide.h"
#include "learn/fit/step.h"
#include "model/fit/hard_fit.h"

namespace dualdict {

template <class T>
class L0Learning {
 public:
  // All outlive it; samples and codes are those in memory. The stepper is for these alone.
  L0Learning(Samples<T>& samples, CodeStore<T>& codes, Control& control, ThreadPool& pool);

  static bool is_over(const FitState& state) { return state.l0.phase == L0Phase::kDone; }
  // The first D, and a price for it.
  void begin(FitState& state);
  void advance(FitState& state);
  // Before the end of a fit that was cut short: a hard encoder, if only principal components.
  void make_usable(FitState& state);
  // Makes the samples less what the phase wants, as it is before every step; |X|^2 in the moments is theirs.
  void settle_origin(FitState& state);
  const Samples<T>& samples() const { return samples_; }
  ThreadPool& pool() const { return pool_; }
  double nonzeros() const { return *control_.options().nonzeros; }  // wanted
  // In the order of all.
  SampleRange learned(const FitState& state) const {
    return {state.l0.n_held_out, samples_.n_all() - state.l0.n_held_out};
  }

 private:
  // The first n of all, from all ranks.
  MatrixView<const T> first_rows(std::size_t n);
  // The learned samples that D of many atoms comes from: of several ranks as many as one may hold.
  MatrixView<const T> wide_rows(const FitState& state);
  void step_many(FitState& state);
  void begin_hard(FitState& state);
  void begin_steps(FitState& state, L0Phase phase);
  void step_dictionary(FitState& state);
  std::size_t n_steps(const FitState& state) const;
  void advance_hard(FitState& state);
  std::size_t n_for_hard(const FitState& state) const;
  void make_hard_fit(const FitState& state, ThreadPool& pool);
  void end_hard(FitState& state);
  void end_many(FitState& state);
  void find_price(FitState& state);
  void end_l1(FitState& state) const;
  // Moves tau or the price after codes with so many nonzeros on average.
  void follow_count(FitState& state, double found) const;
  // |x - D u|^2 of greedy codes with the wanted nonzeros, summed over some samples that nothing is learned from.
  double held_out_error(const FitState& state, const Matrix<double>& dictionary) const;
  void tell(const FitState& state);

  Samples<T>& samples_;
  CodeStore<T>& codes_;
  Control& control_;
  ThreadPool& pool_;
  Stepper<T> stepper_;
  WideSteps<T> wide_;
  std::optional<FadingSums> rule_;
  std::optional<ThreadPool> hearing_pool_;  // hears the interrupt, where there is one process
  Matrix<T> rows_;                          // of all ranks, where there are several
  std::optional<HardFit<T>> hard_;
  double squared_learned_ = -1;  // |x|^2 of the learned samples; below 0: not known
  bool told_steps_ = false;
};

// Moves the price after codes with so many nonzeros on average.
void follow_price(FitState& state, double wanted, double nonzeros);
// The samples that nothing is learned from, on all ranks; all of them where they are few.
template <class T>
Matrix<T> held_out_samples(const FitState& state, const Samples<T>& samples);

}  // namespace dualdict
