// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/l0_finish.h"

#include <algorithm>
#include <utility>

#include "learn/fit/atoms.h"
#include "learn/fit/result_size.h"
#include "model/fit/levels.h"

namespace dualdict {
namespace {

// The rows of samples less the offset, with it.
template <class T>
Matrix<T> as_given(Matrix<T> rows, const std::vector<double>& offset) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t f = 0; f < rows.cols(); ++f)
      rows(i, f) = static_cast<T>(static_cast<double>(rows(i, f)) + offset[f]);
  return rows;
}

}  // namespace

template <class T>
void settle_l0(FitState& state, L0Learning<T>& learning, bool hasty, ModelParts& parts) {
  learning.make_usable(state);
  make_unit_atoms<T>(state.dictionary);
  const double nonzeros = learning.nonzeros();
  ThreadPool& pool = learning.pool();
  parts.penalty = Penalty::kL0;
  parts.positive_codes = state.objective.positive_codes;
  parts.dictionary = state.dictionary;
  parts.dual = state.dual;
  parts.offset = state.l0.offset;
  const Matrix<double> held_out = convert<double>(held_out_samples(state, learning.samples()));
  constexpr std::size_t kFewest = 500;
  const std::size_t few = std::min(held_out.rows(), std::max(kFewest, held_out.rows() / kHasteDivisor));
  const MatrixView<const double> judges = held_out.view().row_range(0, hasty ? few : held_out.rows());
  FittedEncoder hard;
  hard.mode = "hard";
  hard.decoder = state.l0.decoder;
  hard.bias = state.l0.bias;
  hard.levels = hard_levels(parts, hard.bias, judges, nonzeros, pool);
  FittedEncoder greedy;
  greedy.mode = "greedy";
  greedy.levels = greedy_levels(parts, judges, nonzeros, pool);
  state.objective.price = greedy.levels(0, 1);
  parts.encoders = {std::move(hard), std::move(greedy)};
}

template <class T>
L0Measured<T> l0_measured(const FitState& state, const Samples<T>& samples, std::size_t n_learned,
                          std::size_t n_held_out) {
  const Matrix<T> held_out = held_out_samples(state, samples);
  const std::size_t first = state.l0.n_held_out;
  const std::size_t n_measured = std::min(n_held_out, held_out.rows());
  return {as_given(samples_in(samples, {first, std::min(n_learned, samples.n_all() - first)}), state.l0.offset),
          as_given(convert<T>(held_out.view().row_range(0, n_measured)), state.l0.offset)};
}

#define DUALDICT_INSTANTIATE(T)                                             \
  template void settle_l0<T>(FitState&, L0Learning<T>&, bool, ModelParts&); \
  template L0Measured<T> l0_measured<T>(const FitState&, const Samples<T>&, std::size_t, std::size_t);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
