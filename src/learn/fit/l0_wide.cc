// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/l0_wide.h"

#include <algorithm>
#include <string>

#include "solvers/greedy_coder.h"

namespace dualdict {
namespace {

// Enough samples for every atom to have been used some hundred times, and all of them a few times; fewer, for all that
// many atoms take, when there are very many.
std::size_t samples_to_see(std::size_t n_samples, std::size_t n_atoms) {
  constexpr std::size_t kTimes = 6, kMost = 420000, kFewest = 40 * 2048, kUsual = 16384;
  const std::size_t seen = std::clamp(kTimes * n_samples, kFewest, kMost);
  return n_atoms <= kUsual ? seen : std::max(seen * kUsual / n_atoms, kFewest);
}

template <class T>
HardRows scaled_rows(MatrixView<const T> samples, double scale) {
  return standard_rows(samples, {std::vector<double>(samples.cols), scale});
}

}  // namespace

template <class T>
void WideSteps<T>::begin(FitState& state, MatrixView<const T> samples) {
  state.l0.scale = standard_of(samples).scale;
}

template <class T>
std::size_t WideSteps<T>::n_blocks(const FitState& state, std::size_t n_samples) {
  const std::size_t n_atoms = state.objective.n_atoms;
  return samples_to_see(n_samples, n_atoms) / wide_block(n_samples, n_atoms);
}

template <class T>
std::size_t WideSteps<T>::n_left(const FitState& state, std::size_t n_samples) {
  return (n_blocks(state, n_samples) - state.l0.wide.n_steps) * wide_block(n_samples, state.objective.n_atoms);
}

template <class T>
bool WideSteps<T>::advance(FitState& state, MatrixView<const T> samples) {
  constexpr std::size_t kCalmShare = 5;  // in the last of so many parts of the steps no atom is replaced
  if (!order_) {
    rows_ = scaled_rows(samples, state.l0.scale);
    order_.emplace(wide_order(samples.rows, state.objective.n_atoms, control_.options().seed, state.l0.wide.n_steps));
    x_ = Matrix<float>(wide_block(samples.rows, state.objective.n_atoms), samples.cols);
  }
  const std::size_t count = n_blocks(state, samples.rows);
  read_block(rows_, *order_, pool_, drawn_, x_);
  step(state, state.l0.wide.n_steps + count / kCalmShare < count);
  control_.progress().advance(x_.rows());
  return state.l0.wide.n_steps < count;
}

template <class T>
GreedyCodeReport WideSteps<T>::learn(FitState& state, MatrixView<const T> samples) {
  GreedyCodeReport sum;
  const std::size_t size = wide_block(samples.rows, state.objective.n_atoms);
  for (std::size_t first = 0; first < samples.rows; first += size) {
    const HardRows rows = scaled_rows(samples.row_range(first, std::min(size, samples.rows - first)), state.l0.scale);
    x_ = read_all(rows, pool_);
    sum.add(step(state, true));
  }
  return sum;
}

template <class T>
GreedyCodeReport WideSteps<T>::step(FitState& state, bool replace_unused) {
  WideDictionaryState& wide = state.l0.wide;
  const LearnOptions& options = control_.options();
  if (!dictionary_)
    dictionary_.emplace(state.dictionary, wide,
                        WideDictionaryOptions{*options.nonzeros, state.objective.positive_codes}, pool_);
  GreedyCodeReport made = dictionary_->step(x_, replace_unused && options.replace_below > 0);
  state.dictionary = dictionary_->dictionary();
  state.atoms.n_replaced = wide.n_replaced;
  const double squared_scale = state.l0.scale * state.l0.scale;
  const double back = squared_scale > 0 ? 1 / squared_scale : 0;
  state.objective.price = wide.price * back;
  made.squared_samples *= back;
  made.squared_error *= back;
  PassReport pass;
  pass.n_samples = x_.rows();
  pass.codes.nonzeros = made.nonzeros;
  state.fading.add(pass, 0);
  return made;
}

template <class T>
void measure_wide(FitState& state, const Samples<T>& samples, ThreadPool& pool, LearnSummary& summary) {
  constexpr std::size_t kMost = 64 * kBlockSamples;  // of more, codes say no more
  const std::size_t n_atoms = state.objective.n_atoms;
  const Matrix<T> some = samples_in(samples, {0, std::min(samples.n_all(), kMost)});
  GreedyCoder<T> coder;
  coder.assign(state.dictionary, {}, state.objective.positive_codes, pool);
  std::vector<GreedyCodeReport> reports(Samples<T>::blocks_for(some.rows()));
  std::vector<std::vector<std::size_t>> usage(pool.size(), std::vector<std::size_t>(n_atoms));
  std::vector<GreedyCoderWorkspace<T>> work(pool.size());
  std::vector<Matrix<T>> codes(pool.size());
  pool.run(reports.size(), [&](std::size_t block, std::size_t worker) {
    const std::size_t first = block * kBlockSamples;
    const MatrixView<const T> x = some.view().row_range(first, std::min(kBlockSamples, some.rows() - first));
    if (codes[worker].empty()) codes[worker] = Matrix<T>(kBlockSamples, n_atoms);
    const MatrixView<T> u = codes[worker].view().row_range(0, x.rows);
    reports[block] = coder.codes(x, state.objective.price, work[worker], u);
    for (std::size_t i = 0; i < u.rows; ++i)
      for (std::size_t k = 0; k < n_atoms; ++k) usage[worker][k] += u(i, k) != 0 ? 1 : 0;
  });
  state.atoms.usage.assign(n_atoms, 0);
  for (const auto& mine : usage)
    for (std::size_t k = 0; k < n_atoms; ++k) state.atoms.usage[k] += mine[k];
  GreedyCodeReport sum;
  for (const GreedyCodeReport& report : reports) sum.add(report);
  const auto n = static_cast<double>(some.rows());
  const double of_all = static_cast<double>(samples.n_all()) / (n * state.objective.d());
  summary.energy.reconstruction = of_all * sum.squared_error;
  summary.energy.l0 = of_all * state.objective.price * static_cast<double>(sum.nonzeros);
  IterationRecord record;
  record.nonzeros_per_code = summary.nonzeros_per_code = static_cast<double>(sum.nonzeros) / n;
  trivial_l0(record, summary);
}

void tell_wide_end(const FitState& state, LearnSummary& summary) {
  summary.outcome = state.l0.stalled ? Outcome::kConverged : Outcome::kIterationLimit;
  summary.message = "D was learned for greedy codes from " + std::to_string(state.fading.n_seen) +
                    " samples, each as often as it was seen; then the error of hard codes on samples held out " +
                    (state.l0.stalled ? "fell no more" : "was still falling a little") +
                    " when the learning of W and its decoder ended";
}

#define DUALDICT_INSTANTIATE(T) \
  template class WideSteps<T>;  \
  template void measure_wide<T>(FitState&, const Samples<T>&, ThreadPool&, LearnSummary&);
DUALDICT_INSTANTIATE(float)
DUALDICT_INSTANTIATE(double)
#undef DUALDICT_INSTANTIATE

}  // namespace dualdict
