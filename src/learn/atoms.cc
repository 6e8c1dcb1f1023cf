// SPDX-License-Identifier: BSD-3-Clause
#include "learn/atoms.h"

#include <algorithm>
#include <numeric>

#include "linalg/product.h"
#include "linalg/vectors.h"
#include "solvers/projection.h"

namespace dualdict {
namespace {

constexpr std::size_t kMaxReplacements = 3;  // of one atom
constexpr double kGoodEnough = 1e-6;         // a sample this well reconstructed needs no atom of its own

// |x - D u|^2 / |x|^2 of every sample; 0 for zero samples.
template <class T>
std::vector<double> relative_errors(const Samples<T>& samples, const Matrix<T>& u, const Matrix<double>& dictionary,
                                    ThreadPool& pool) {
  std::vector<double> errors(samples.n_samples());
  PackedRight<T> atoms;
  atoms.pack(convert<T>(dictionary).view());
  std::vector<Matrix<T>> residuals(pool.size());
  pool.run(samples.n_blocks(), [&](std::size_t block, std::size_t worker) {
    Matrix<T>& residual = residuals[worker];
    if (residual.empty()) residual = Matrix<T>(kBlockSamples, samples.n_features());
    const MatrixView<const T> x = samples.block(block);
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, residual.row(i));
    multiply(plain(u.view().row_range(block * kBlockSamples, x.rows)), atoms, residual.view().row_range(0, x.rows),
             Into::kSubtract);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double scale = squared_norm(x.row(i), x.cols);
      errors[block * kBlockSamples + i] = scale > 0 ? squared_norm(residual.row(i), x.cols) / scale : 0.0;
    }
  });
  return errors;
}

// Adds `sign` times the contribution of one code to the sums.
template <class T>
void add_code(Moments& moments, const T* code, const T* x, double sign) {
  const std::size_t n_atoms = moments.uu.rows();
  for (std::size_t i = 0; i < n_atoms; ++i) {
    if (code[i] == T{0}) continue;
    const double ui = sign * static_cast<double>(code[i]);
    for (std::size_t j = 0; j < n_atoms; ++j) moments.uu(i, j) += ui * static_cast<double>(code[j]);
    for (std::size_t j = 0; j < moments.ux.cols(); ++j) moments.ux(i, j) += ui * static_cast<double>(x[j]);
    moments.sum_abs_codes += sign * std::abs(static_cast<double>(code[i]));
  }
}

// The samples in order of falling error, as many as are wanted, well reconstructed ones left out.
std::vector<std::size_t> worst_samples(const std::vector<double>& errors, std::size_t wanted) {
  std::vector<std::size_t> order(errors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t n = std::min(wanted, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
      [&](std::size_t a, std::size_t b) { return errors[a] != errors[b] ? errors[a] > errors[b] : a < b; });
  order.resize(n);
  std::erase_if(order, [&](std::size_t i) { return errors[i] <= kGoodEnough; });
  return order;
}

}  // namespace

template <class T>
std::size_t AtomReplacer::replace(const Samples<T>& samples, const Objective& objective,
                                  const std::vector<std::size_t>& usage, ThreadPool& pool, Matrix<T>& u,
                                  Matrix<double>& dictionary, Moments& moments) {
  std::vector<std::size_t> atoms;
  for (std::size_t i = 0; i < usage.size(); ++i)
    if (usage[i] < below_ && replaced_[i] < kMaxReplacements) atoms.push_back(i);
  if (atoms.empty()) return 0;
  const std::vector<std::size_t> worst = worst_samples(relative_errors(samples, u, dictionary, pool), atoms.size());
  const std::size_t d = samples.n_features();
  for (std::size_t n = 0; n < worst.size(); ++n) {
    const std::size_t atom = atoms[n];
    const T* x = samples.x.row(worst[n]);
    T* code = u.row(worst[n]);
    add_code(moments, code, x, -1);
    std::fill_n(code, objective.n_atoms, T{0});
    // The paper's e_i has a scale of its own; |x| e_i follows the samples' scale and reconstructs x at once.
    const double length = norm(x, d);
    code[atom] = static_cast<T>(length);
    add_code(moments, code, x, 1);
    for (std::size_t j = 0; j < d; ++j)
      dictionary(atom, j) = static_cast<double>(static_cast<T>(static_cast<double>(x[j]) / length));
    project_row(dictionary.row(atom), d, objective.positive_dictionary);
    ++replaced_[atom];
  }
  return worst.size();
}

std::size_t count_dead(const std::vector<std::size_t>& usage) {
  return static_cast<std::size_t>(std::count(usage.begin(), usage.end(), std::size_t{0}));
}

template std::size_t AtomReplacer::replace<float>(const Samples<float>&, const Objective&,
                                                  const std::vector<std::size_t>&, ThreadPool&, Matrix<float>&,
                                                  Matrix<double>&, Moments&);
template std::size_t AtomReplacer::replace<double>(const Samples<double>&, const Objective&,
                                                   const std::vector<std::size_t>&, ThreadPool&, Matrix<double>&,
                                                   Matrix<double>&, Moments&);

}  // namespace dualdict
