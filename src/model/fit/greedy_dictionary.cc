// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/greedy_dictionary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/kernels/kernels.h"
#include "linalg/vectors.h"
#include "solvers/code_step.h"
#include "solvers/dictionary_step.h"

namespace dualdict {
namespace {

// Moving D costs as much for any block: many atoms want larger ones.
std::size_t dictionary_block(std::size_t n_rows, std::size_t n_atoms) {
  constexpr std::size_t kFewest = 2048, kPerAtom = 4;
  return std::min(n_rows, std::max(kFewest, kPerAtom * n_atoms));
}

// Unit rows; false where there is none.
bool normalise(double* row, std::size_t n) {
  const double length = norm(row, n);
  if (!(length > 0)) return false;
  for (std::size_t f = 0; f < n; ++f) row[f] /= length;
  return true;
}

}  // namespace

GreedyDictionary::GreedyDictionary(const HardRows& rows, Matrix<double> dictionary,
                                   const GreedyDictionaryOptions& options, Random random, ThreadPool& pool)
    : rows_(rows),
      dictionary_(std::move(dictionary)),
      options_(options),
      order_(rows.n, random),
      pool_(pool),
      x_(dictionary_block(rows.n, dictionary_.rows()), rows.n_features),
      codes_(x_.rows(), padded(dictionary_.rows())),
      workspaces_(pool.size()),
      reports_((x_.rows() + kBlockSamples - 1) / kBlockSamples),
      errors_(x_.rows()),
      lists_(reports_.size()),
      sums_(pool.size(), std::vector<float>(std::max(codes_.cols(), rows.n_features))) {
  moments_.uu = Matrix<double>(dictionary_.rows(), dictionary_.rows());
  moments_.ux = Matrix<double>(dictionary_.rows(), rows.n_features);
  for (std::size_t k = 0; k < dictionary_.rows(); ++k) normalise(dictionary_.row(k), rows.n_features);
}

void GreedyDictionary::code_block() {
  const std::size_t n_atoms = dictionary_.rows();
  read_block(rows_, order_, pool_, drawn_, x_);
  problem_.assign(dictionary_, {}, options_.positive, pool_);
  if (seen_ == 0) {
    price_ = price_for_nonzeros<float>(problem_, x_, options_.nonzeros, {}, pool_).price;
    if (options_.start != nullptr) {
      HardState encoder = *options_.start;
      HardJudge few(x_, kStartShare * options_.nonzeros);
      few.measure(encoder, pool_);
      const std::vector<double> bias(encoder.bias.begin(), encoder.bias.end());
      start_.assign(convert<double>(encoder.weights).view(), bias, static_cast<double>(encoder.threshold),
                    options_.positive);
    }
  }
  const bool from_zero = options_.start == nullptr;
  pool_.run(reports_.size(), [&](std::size_t part, std::size_t worker) {
    const std::size_t first = part * kBlockSamples;
    const std::size_t n = std::min(kBlockSamples, x_.rows() - first);
    const MatrixView<const float> x = x_.view().row_range(first, n);
    const MatrixView<float> u(codes_.row(first), n, n_atoms, codes_.cols());
    if (!from_zero) hard_codes<float>(start_, x, u);
    GreedyWorkspace<float>& work = workspaces_[worker];
    reports_[part] = greedy_codes<float>(problem_, x, {.price = price_, .from_zero = from_zero}, work, u);
    SampleLists& lists = lists_[part];
    lists.clear();
    for (std::size_t i = 0; i < n; ++i) {
      const double squared = kernels<float>().squared_norm(x.row(i), x.cols);
      errors_[first + i] = squared > 0 ? work.error[i] / squared : 0;
      const std::size_t at = lists.begin_sample(n_atoms);
      lists.end_sample(
          kernels<float>().list_nonzeros(u.row(i), n_atoms, lists.atom.data() + at, lists.code.data() + at));
    }
  });
}

// What was there fades as blocks come: at first fast, since its codes were made with another dictionary.
void GreedyDictionary::add_sums() {
  constexpr double kSlowest = 0.95;
  const auto n = static_cast<double>(x_.rows());
  const double share = seen_ / (seen_ + n);
  const double fading = std::min(share * share, kSlowest);
  by_atom_.assign(lists_, &SampleLists::code, dictionary_.rows());
  pool_.run(dictionary_.rows(), [&](std::size_t atom, std::size_t worker) {
    float* const sum = sums_[worker].data();
    const auto join = [&](const Matrix<float>& rows, Matrix<double>& into) {
      std::fill_n(sum, rows.cols(), 0.0F);
      by_atom_.add_rows(atom, rows, sum);
      double* const target = into.row(atom);
      for (std::size_t f = 0; f < into.cols(); ++f) target[f] = fading * target[f] + static_cast<double>(sum[f]);
    };
    join(codes_, moments_.uu);
    join(x_, moments_.ux);
  });
  seen_ += n;
}

void GreedyDictionary::move_dictionary() {
  Objective objective;
  objective.n_atoms = dictionary_.rows();
  objective.n_features = dictionary_.cols();
  DictionaryStepOptions once;
  once.max_passes = 1;
  once.certify = false;
  once.pool = &pool_;
  dictionary_step_fast(objective, moments_, once, dictionary_);
  for (std::size_t k = 0; k < dictionary_.rows(); ++k) normalise(dictionary_.row(k), dictionary_.cols());
}

void GreedyDictionary::replace_unused_atoms() {
  constexpr double kUnused = 1e-5;  // of the mean use
  const std::size_t n_atoms = dictionary_.rows();
  double mean = 0;
  for (std::size_t k = 0; k < n_atoms; ++k) mean += moments_.uu(k, k) / static_cast<double>(n_atoms);
  std::vector<std::size_t> worst;
  std::size_t next = 0;
  for (std::size_t k = 0; k < n_atoms; ++k) {
    if (moments_.uu(k, k) > kUnused * mean) continue;
    if (worst.empty()) {
      worst.resize(errors_.size());
      std::iota(worst.begin(), worst.end(), 0U);
      std::stable_sort(worst.begin(), worst.end(),
                       [&](std::size_t a, std::size_t b) { return errors_[a] > errors_[b]; });
    }
    if (next == worst.size() || !(errors_[worst[next]] > 0)) return;
    const float* x = x_.row(worst[next++]);
    double* const atom = dictionary_.row(k);
    for (std::size_t f = 0; f < x_.cols(); ++f) atom[f] = static_cast<double>(x[f]);
    normalise(atom, x_.cols());
    for (std::size_t j = 0; j < n_atoms; ++j) moments_.uu(k, j) = moments_.uu(j, k) = 0;
    std::fill_n(moments_.ux.row(k), x_.cols(), 0.0);
  }
}

void GreedyDictionary::step(bool replace_unused) {
  constexpr double kPower = 0.5, kLeast = 0.5, kMost = 2;
  code_block();
  add_sums();
  move_dictionary();
  if (replace_unused) replace_unused_atoms();
  GreedyCodeReport sum;
  for (const GreedyCodeReport& report : reports_) sum.add(report);
  last_error_ = sum.squared_samples > 0 ? sum.squared_error / sum.squared_samples : 0;
  const double wanted = options_.nonzeros * static_cast<double>(x_.rows());
  price_ *= std::clamp(std::pow(static_cast<double>(sum.nonzeros) / wanted, kPower), kLeast, kMost);
}

}  // namespace dualdict
