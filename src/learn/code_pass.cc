// SPDX-License-Identifier: BSD-3-Clause
#include "learn/code_pass.h"

#include <algorithm>

namespace dualdict {
namespace {

std::size_t blocks_per_wave(std::size_t n_atoms, std::size_t element_size) {
  return std::clamp<std::size_t>(kWaveBytes / (kBlockSamples * n_atoms * element_size), 1, 32);
}

}  // namespace

template <class T>
CodePass<T>::CodePass(const Samples<T>& samples, std::size_t n_atoms, ThreadPool& pool, const Interrupt& interrupt)
    : samples_(samples),
      pool_(pool),
      interrupt_(interrupt),
      wave_(blocks_per_wave(n_atoms, sizeof(T))),
      work_(pool.size()),
      usage_(pool.size(), std::vector<std::size_t>(n_atoms)),
      reports_(wave_),
      sparse_(wave_),
      packed_(wave_),
      products_(wave_),
      sparse_blocks_(wave_),
      sums_(pool.size(), n_atoms),
      sparse_sums_(pool.size(), samples.n_features()),
      xu_(samples.n_features(), n_atoms) {}

template <class T>
void CodePass<T>::run_wave(const CodeProblem<T>& problem, const CodeOptions& options, std::size_t first,
                           std::size_t count, CodeStore<T>& u) {
  pool_.run(count, [&](std::size_t i, std::size_t worker) {
    interrupt_.throw_if_due();
    const std::size_t block = first + i;
    const MatrixView<T> codes = wave_codes(i, block_size(block));
    u.read(block_start(block), codes);
    reports_[i] = code_step<T>(problem, this->block(block), options, work_[worker], codes);
    u.write(block_start(block), codes, sparse_[i]);
    std::vector<std::size_t>& usage = usage_[worker];
    for (std::size_t e = 0; e < sparse_[i].n_elements(); ++e) ++usage[sparse_[i].column[e]];
  });
}

template <class T>
void CodePass<T>::add_sparse(std::size_t first, std::size_t count, Moments& moments) {
  for (std::size_t i = 0; i < count; ++i) sparse_blocks_[i] = {block(first + i), &sparse_[i]};
  sparse_sums_.add(pool_, std::span(sparse_blocks_).first(count), moments.uu, moments.ux);
}

template <class T>
void CodePass<T>::add_dense(std::size_t first, std::size_t count, Moments& moments) {
  const std::span<BlockProduct<T>> products = std::span(products_).first(count);
  pool_.run(count, [&](std::size_t i, std::size_t) {
    products[i] = {wave_codes(i, block_size(first + i)), &packed_[i]};
    packed_[i].pack(products[i].left);
  });
  sums_.add(pool_, products, true, moments.uu);
  for (std::size_t i = 0; i < count; ++i) products[i].left = block(first + i);
  sums_.add(pool_, products, false, xu_);
}

template <class T>
PassReport CodePass<T>::run(const CodeProblem<T>& problem, const CodeOptions& options, SampleRange range,
                            CodeStore<T>& u, Moments& moments) {
  PassReport report;
  range_ = range;
  for (auto& usage : usage_) std::fill(usage.begin(), usage.end(), std::size_t{0});
  std::fill_n(moments.uu.data(), moments.uu.size(), 0.0);
  std::fill_n(moments.ux.data(), moments.ux.size(), 0.0);
  std::fill_n(xu_.data(), xu_.size(), 0.0);
  const std::size_t n_blocks = this->n_blocks();
  const std::size_t wave_rows = std::min(wave_, n_blocks) * kBlockSamples;
  if (codes_.rows() < wave_rows) codes_ = Matrix<T>(wave_rows, u.cols());
  for (std::size_t first = 0; first < n_blocks; first += wave_) {
    const std::size_t count = std::min(wave_, n_blocks - first);
    run_wave(problem, options, first, count, u);
    for (std::size_t i = 0; i < count; ++i) report.codes.add(reports_[i]);
    std::size_t nonzeros = 0;
    for (std::size_t i = 0; i < count; ++i) nonzeros += sparse_[i].n_elements();
    if (static_cast<double>(nonzeros) <= kSparseSquareShare * static_cast<double>(count * kBlockSamples * u.cols())) {
      add_sparse(first, count, moments);
    } else {
      add_dense(first, count, moments);
    }
  }
  report.usage.assign(usage_[0].size(), 0);
  for (const auto& usage : usage_)
    for (std::size_t j = 0; j < usage.size(); ++j) report.usage[j] += usage[j];
  BlockSums<T>::mirror(moments.uu);
  for (std::size_t i = 0; i < xu_.rows(); ++i)
    for (std::size_t j = 0; j < xu_.cols(); ++j) moments.ux(j, i) += xu_(i, j);
  moments.sum_abs_codes = report.codes.sum_abs;
  return report;
}

template class CodePass<float>;
template class CodePass<double>;

}  // namespace dualdict
