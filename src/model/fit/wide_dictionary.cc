// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/wide_dictionary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/kernels/kernels.h"
#include "linalg/vectors.h"
#include "solvers/code_step.h"

namespace dualdict {
namespace {

constexpr std::size_t kVeryMany = 8000;  // atoms: larger blocks, longer sums
constexpr std::size_t kMovedAtOnce = 16;
constexpr std::uint64_t kWideStream = 130;  // of random numbers

double window_of(std::size_t n_atoms) {
  return n_atoms > kVeryMany ? 40 : 20;
}

}  // namespace

std::size_t wide_block(std::size_t n_rows, std::size_t n_atoms) {
  return std::min<std::size_t>(n_rows, n_atoms > kVeryMany ? 4096 : 2048);
}

RowOrder wide_order(std::size_t n_rows, std::size_t n_atoms, std::uint64_t seed, std::size_t n_steps) {
  return {n_rows, seed, kWideStream, n_steps * wide_block(n_rows, n_atoms)};
}

void WideDictionary::Block::resize(std::size_t n, std::size_t n_features) {
  if (rest.rows() == n) return;
  rest = Matrix<float>(n, n_features);
  errors.resize(n);
  reports.resize((n + kBlockSamples - 1) / kBlockSamples);
  lists.resize(reports.size());
}

WideDictionary::WideDictionary(const Matrix<double>& atoms, WideDictionaryState& state,
                               const WideDictionaryOptions& options, ThreadPool& pool)
    : state_(state),
      options_(options),
      pool_(pool),
      atom_step_(state.atoms),
      workspaces_(pool.size()),
      directions_(pool.size(), std::vector<float>(atoms.cols())) {
  state.atoms.curvature.resize(atoms.rows());
  problem_.assign(atoms, {}, options.positive, pool);
  // Atoms are their own from here on.
  std::fill(problem_.inverse.begin(), problem_.inverse.end(), 1.0F);
  if (state.n_steps == 0) return;
  problem_.atoms = convert<float>(atoms);  // without another rounding
  problem_.pack(pool);
}

void WideDictionary::code_block(const Matrix<float>& samples) {
  block_.resize(samples.rows(), samples.cols());
  RoundsOptions how = learning_rounds(state_.price, options_.nonzeros);
  if (state_.n_steps == 0)
    how.price = state_.price =
        price_for_nonzeros<float>(problem_, samples, options_.nonzeros, how, pool_, kPriceSamples).price;
  pool_.run(block_.reports.size(), [&](std::size_t part, std::size_t worker) {
    const std::size_t first = part * kBlockSamples;
    const MatrixView<const float> x = samples.view().row_range(first, std::min(kBlockSamples, samples.rows() - first));
    RoundsWorkspace<float>& work = workspaces_[worker];
    block_.reports[part] = find_rounds_codes<float>(problem_, x, how, work);
    SampleLists& lists = block_.lists[part];
    lists.clear();
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double squared = kernels<float>().squared_norm(x.row(i), x.cols);
      block_.errors[first + i] = squared > 0 ? work.error[i] / squared : 0;
      std::copy_n(work.rest.row(i), x.cols, block_.rest.row(first + i));
      const std::size_t begin = work.begin[i], count = work.begin[i + 1] - begin;
      const std::size_t at = lists.begin_sample(count);
      std::copy_n(work.atoms.data() + begin, count, lists.atom.data() + at);
      std::copy_n(work.values.data() + begin, count, lists.code.data() + at);
      lists.end_sample(count);
    }
  });
}

void WideDictionary::move_atoms() {
  const std::size_t n_atoms = problem_.n_atoms(), d = problem_.n_features();
  block_.by_atom.assign(block_.lists, &SampleLists::code, n_atoms);
  atom_step_.begin(block_.rest.rows(), window_of(n_atoms));
  pool_.run((n_atoms + kMovedAtOnce - 1) / kMovedAtOnce, [&](std::size_t group, std::size_t worker) {
    float* const direction = directions_[worker].data();
    for (std::size_t k = group * kMovedAtOnce; k < std::min(n_atoms, (group + 1) * kMovedAtOnce); ++k) {
      std::fill_n(direction, d, 0.0F);
      block_.by_atom.add_rows(k, block_.rest, direction);
      const double squares =
          squared_norm(block_.by_atom.value.data() + block_.by_atom.begin[k], block_.by_atom.count(k));
      atom_step_.move(k, direction, squares, problem_.atoms.row(k), d);
    }
  });
}

void WideDictionary::replace_unused_atoms() {
  const std::vector<std::size_t> unused = atom_step_.unused();
  if (unused.empty()) return;
  std::vector<std::size_t> worst(block_.errors.size());
  std::iota(worst.begin(), worst.end(), 0U);
  std::stable_sort(worst.begin(), worst.end(),
                   [&](std::size_t a, std::size_t b) { return block_.errors[a] > block_.errors[b]; });
  const std::size_t d = problem_.n_features();
  for (std::size_t e = 0; e < std::min(unused.size(), worst.size()); ++e) {
    const float* const rest = block_.rest.row(worst[e]);
    const double length = norm(rest, d);
    if (!(length > 0)) return;
    float* const atom = problem_.atoms.row(unused[e]);
    for (std::size_t f = 0; f < d; ++f) atom[f] = static_cast<float>(static_cast<double>(rest[f]) / length);
    atom_step_.forget(unused[e]);
    ++state_.n_replaced;
  }
}

GreedyCodeReport WideDictionary::step(const Matrix<float>& x, bool replace_unused) {
  constexpr double kPower = 0.7, kLeast = 0.7, kMost = 1.4;
  constexpr std::size_t kBlocksBetween = 10;  // replacements
  code_block(x);
  move_atoms();
  ++state_.n_steps;
  if (replace_unused && state_.n_steps % kBlocksBetween == 0) replace_unused_atoms();
  problem_.pack(pool_);
  GreedyCodeReport sum;
  for (const GreedyCodeReport& report : block_.reports) sum.add(report);
  const double share = static_cast<double>(sum.nonzeros) / (options_.nonzeros * static_cast<double>(x.rows()));
  state_.price *= std::pow(std::clamp(share, kLeast, kMost), kPower);
  return sum;
}

}  // namespace dualdict
