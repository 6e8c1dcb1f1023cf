// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/l0_coder.h"

namespace dualdict {

template <class T>
void L0Coder<T>::assign(const FitState& state, CodeStart start) {
  const bool positive = state.objective.positive_codes;
  start_ = start;
  price_ = state.objective.price;
  greedy_.assign(state.dictionary, {}, positive, pool_);
  if (start == CodeStart::kHard) hard_.assign(state.dual.view(), state.l0.bias, state.l0.start_threshold, positive);
}

template <class T>
CodeReport L0Coder<T>::code(std::size_t worker, MatrixView<const T> x, MatrixView<T> u) {
  if (start_ == CodeStart::kHard) hard_codes<T>(hard_, x, u);
  const GreedyCodeReport made =
      greedy_codes<T>(greedy_, x, {.price = price_, .from_zero = start_ == CodeStart::kZero}, work_[worker], u);
  CodeReport report;
  report.squared_samples = made.squared_samples;
  report.sum_abs = static_cast<double>(made.nonzeros);
  report.nonzeros = made.nonzeros;
  report.sweeps = made.moves;
  report.unfinished = made.unfinished;
  return report;
}

template class L0Coder<float>;
template class L0Coder<double>;

}  // namespace dualdict
