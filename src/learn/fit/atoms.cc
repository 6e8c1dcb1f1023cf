// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/atoms.h"

#include <algorithm>
#include <span>
#include <utility>

#include "learn/fit/start.h"
#include "linalg/product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr std::size_t kMaxReplacements = 3;  // of one atom
constexpr double kGoodEnough = 1e-6;         // a sample this well reconstructed needs no atom of its own

// |x - D u|^2 / |x|^2 of every sample of the batch; 0 for zero samples, and for those that are not of it.
template <class T>
std::vector<double> relative_errors(const Batch<T>& batch, const Matrix<double>& dictionary, ThreadPool& pool) {
  const Samples<T>& samples = batch.samples;
  const SampleRange rows = batch.rows();
  std::vector<double> errors(samples.n_samples());
  PackedRight<T> atoms;
  atoms.pack(convert<T>(dictionary).view());
  std::vector<Matrix<T>> residuals(pool.size());
  std::vector<Matrix<T>> codes(pool.size());
  const std::size_t first_block = rows.first / kBlockSamples;
  const std::size_t n_blocks =
      Samples<T>::blocks_for(rows.first + rows.count) - std::min(first_block, samples.n_blocks());
  pool.run(rows.count > 0 ? n_blocks : 0, [&](std::size_t task, std::size_t worker) {
    const std::size_t block = first_block + task;
    Matrix<T>& residual = residuals[worker];
    if (residual.empty()) residual = Matrix<T>(kBlockSamples, samples.n_features());
    const MatrixView<const T> x = samples.block(block);
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, residual.row(i));
    multiply(plain(batch.codes.read_block(block, codes[worker])), atoms, residual.view().row_range(0, x.rows),
             Into::kSubtract);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const std::size_t row = block * kBlockSamples + i;
      const double scale = squared_norm(x.row(i), x.cols);
      const bool counts = scale > 0 && row >= rows.first && row < rows.first + rows.count;
      errors[row] = counts ? squared_norm(residual.row(i), x.cols) / scale : 0.0;
    }
  });
  return errors;
}

// Adds `sign` times the contribution of one code to the sums.
template <class T>
void add_code(Moments& moments, const T* code, const T* x, double sign, bool l0) {
  const std::size_t n_atoms = moments.uu.rows();
  for (std::size_t i = 0; i < n_atoms; ++i) {
    if (code[i] == T{0}) continue;
    const double ui = sign * static_cast<double>(code[i]);
    for (std::size_t j = 0; j < n_atoms; ++j) moments.uu(i, j) += ui * static_cast<double>(code[j]);
    for (std::size_t j = 0; j < moments.ux.cols(); ++j) moments.ux(i, j) += ui * static_cast<double>(x[j]);
    moments.sum_abs_codes += l0 ? sign : sign * std::abs(static_cast<double>(code[i]));
  }
}

// The worst ones in order of falling error, as many as are wanted.
void keep_worst(std::vector<BadSample>& samples, std::size_t wanted) {
  const std::size_t n = std::min(wanted, samples.size());
  std::partial_sort(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(n), samples.end(),
                    [](const BadSample& a, const BadSample& b) {
                      return a.error != b.error ? a.error > b.error : a.place < b.place;
                    });
  samples.resize(n);
}

// The codes of these samples, whichever ranks they are on.
template <class T>
Matrix<T> codes_at(const Samples<T>& samples, const CodeStore<T>& u, std::span<const std::size_t> places) {
  Matrix<T> codes(places.size(), u.cols());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (const std::size_t row = samples.row_of(places[i]); row < samples.n_samples())
      u.read(row, codes.view().row_range(i, 1));
  if (samples.alone()) return codes;
  Matrix<double> all = convert<double>(codes);
  samples.ranks->sum(std::span(all.data(), all.size()));
  return convert<T>(all);
}

}  // namespace

template <class T>
std::vector<BadSample> worst_samples(const Batch<T>& batch, const Matrix<double>& dictionary, ThreadPool& pool,
                                     std::size_t wanted) {
  const Samples<T>& samples = batch.samples;
  std::vector<BadSample> worst;
  const auto find = [&] {
    const std::vector<double> errors = relative_errors(batch, dictionary, pool);
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (errors[i] > kGoodEnough) worst.push_back({errors[i], samples.alone() ? i : samples.places[i]});
    keep_worst(worst, wanted);
  };
  if (samples.alone()) {
    find();
    return worst;
  }
  Ranks& ranks = *samples.ranks;
  ranks.attempt(find);
  // Every rank fills its own part of the message; no error is zero.
  std::vector<double> message(2 * wanted * ranks.size());
  for (std::size_t i = 0; i < worst.size(); ++i) {
    message[2 * (ranks.rank() * wanted + i)] = worst[i].error;
    message[2 * (ranks.rank() * wanted + i) + 1] = static_cast<double>(worst[i].place);
  }
  ranks.sum(message);
  worst.clear();
  for (std::size_t i = 0; i < message.size(); i += 2)
    if (message[i] > 0) worst.push_back({message[i], static_cast<std::size_t>(message[i + 1])});
  keep_worst(worst, wanted);
  return worst;
}

std::vector<std::size_t> unused_atoms(const AtomUse& use, std::size_t below) {
  std::vector<std::size_t> atoms;
  for (std::size_t i = 0; i < use.usage.size(); ++i) {
    const std::size_t before = use.looked.empty() ? 0 : use.looked[i];
    if (use.usage[i] - before < below && use.replaced[i] < kMaxReplacements) atoms.push_back(i);
  }
  return atoms;
}

template <class T>
void replace_atoms(FitState& state, std::span<const std::size_t> atoms, MatrixView<const T> samples,
                   MatrixView<T> codes) {
  const std::size_t d = samples.cols;
  const bool l0 = state.objective.penalty == Penalty::kL0;
  for (std::size_t n = 0; n < samples.rows; ++n) {
    const std::size_t atom = atoms[n];
    const T* x = samples.row(n);
    T* code = codes.row(n);
    add_code<T>(state.moments, code, x, -1, l0);
    std::fill_n(code, codes.cols, T{0});
    // The paper's e_i has a scale of its own; |x| e_i follows the samples' scale and reconstructs x at once.
    const double length = norm(x, d);
    code[atom] = static_cast<T>(length);
    add_code<T>(state.moments, code, x, 1, l0);
    for (std::size_t j = 0; j < d; ++j)
      state.dictionary(atom, j) = static_cast<double>(static_cast<T>(static_cast<double>(x[j]) / length));
    state.objective.atoms.project(state.dictionary.row(atom), d);
    ++state.atoms.replaced[atom];
  }
  state.atoms.n_replaced += samples.rows;
}

template <class T>
std::size_t replace_unused(FitState& state, const Batch<T>& batch, std::size_t below, ThreadPool& pool) {
  const Samples<T>& samples = batch.samples;
  const std::vector<std::size_t> atoms = unused_atoms(state.atoms, below);
  if (atoms.empty()) return 0;
  std::vector<std::size_t> worst;
  for (const BadSample& sample : worst_samples(batch, state.dictionary, pool, atoms.size()))
    worst.push_back(sample.place);
  const Matrix<T> bad = samples_at<T>(samples, worst);
  Matrix<T> codes = codes_at(samples, batch.codes, worst);
  replace_atoms<T>(state, atoms, bad.view(), codes.view());
  SparseRows<T> nonzeros;
  for (std::size_t n = 0; n < worst.size(); ++n)
    if (const std::size_t row = samples.row_of(worst[n]); row < samples.n_samples())
      batch.codes.write(row, std::as_const(codes).view().row_range(n, 1), nonzeros);
  return worst.size();
}

template <class T>
void make_unit_atoms(Matrix<double>& dictionary) {
  for (std::size_t k = 0; k < dictionary.rows(); ++k) {
    double* const atom = dictionary.row(k);
    const double length = norm(atom, dictionary.cols());
    for (std::size_t j = 0; length > 0 && j < dictionary.cols(); ++j) atom[j] /= length;
  }
  round_rows_to_ball<T>(dictionary);
}

template void make_unit_atoms<float>(Matrix<double>&);
template void make_unit_atoms<double>(Matrix<double>&);

std::size_t count_dead(const std::vector<std::size_t>& usage) {
  return static_cast<std::size_t>(std::count(usage.begin(), usage.end(), std::size_t{0}));
}

template std::vector<BadSample> worst_samples<float>(const Batch<float>&, const Matrix<double>&, ThreadPool&,
                                                     std::size_t);
template std::vector<BadSample> worst_samples<double>(const Batch<double>&, const Matrix<double>&, ThreadPool&,
                                                      std::size_t);
template void replace_atoms<float>(FitState&, std::span<const std::size_t>, MatrixView<const float>, MatrixView<float>);
template void replace_atoms<double>(FitState&, std::span<const std::size_t>, MatrixView<const double>,
                                    MatrixView<double>);
template std::size_t replace_unused<float>(FitState&, const Batch<float>&, std::size_t, ThreadPool&);
template std::size_t replace_unused<double>(FitState&, const Batch<double>&, std::size_t, ThreadPool&);

}  // namespace dualdict
