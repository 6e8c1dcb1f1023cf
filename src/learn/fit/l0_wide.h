// SPDX-License-Identifier: BSD-3-Clause
// D of many atoms with penalty l0: blocks of samples, in memory in random order or as a stream brings them. Where it
// stands is in the state alone; nothing is K x K.
#pragma once

#include <optional>
#include <vector>

#include "learn/fit/control.h"
#include "learn/fit/state.h"
#include "learn/samples/samples.h"
#include "model/fit/hard_rows.h"
#include "model/fit/wide_dictionary.h"

namespace dualdict {

template <class T>
class WideSteps {
 public:
  // All outlive it.
  WideSteps(Control& control, ThreadPool& pool) : control_(control), pool_(pool) {}

  // The scale of the samples to learn from, whose mean is about zero.
  static void begin(FitState& state, MatrixView<const T> samples);
  // The next block of them, which outlive this and are always the same; false after the last.
  bool advance(FitState& state, MatrixView<const T> samples);
  // Samples to see until then, of so many.
  static std::size_t n_left(const FitState& state, std::size_t n_samples);
  // Samples that come once; what their codes say.
  GreedyCodeReport learn(FitState& state, MatrixView<const T> samples);

 private:
  static std::size_t n_blocks(const FitState& state, std::size_t n_samples);
  GreedyCodeReport step(FitState& state, bool replace_unused);

  Control& control_;
  ThreadPool& pool_;
  std::optional<WideDictionary> dictionary_;
  HardRows rows_;
  std::optional<RowOrder> order_;
  std::vector<std::size_t> drawn_;
  Matrix<float> x_;
};

// Uses of atoms, E and nonzeros, by greedy codes of some samples with the D and the price of the state. All ranks call
// this together.
template <class T>
void measure_wide(FitState& state, const Samples<T>& samples, ThreadPool& pool, LearnSummary& summary);

// How learning ended.
void tell_wide_end(const FitState& state, LearnSummary& summary);

}  // namespace dualdict
