// SPDX-License-Identifier: BSD-3-Clause
#include "learn/code_pass.h"

#include <algorithm>

#include "linalg/symmetric.h"

namespace dualdict {
namespace {

// A task codes a part of a block, so that a step on few blocks has work for more threads than those.
constexpr std::size_t kPartSamples = 64;
constexpr std::size_t kParts = kBlockSamples / kPartSamples;

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
      reports_(wave_ * kParts),
      sparse_(wave_),
      packed_(wave_),
      packed_samples_(wave_),
      marks_(wave_),
      by_codes_(wave_),
      by_samples_(wave_),
      sparse_blocks_(wave_),
      sums_(pool.size(), std::max(n_atoms, samples.n_features())),
      sparse_sums_(pool.size(), samples.n_features()) {}

template <class T>
void CodePass<T>::run_wave(const CodeProblem<T>& problem, const CodeOptions& options, std::size_t first,
                           std::size_t count, CodeStore<T>& u) {
  pool_.run(count * kParts, [&](std::size_t task, std::size_t worker) {
    interrupt_.throw_if_due();
    const std::size_t block = first + task / kParts;
    const std::size_t start = std::min(block_size(block), task % kParts * kPartSamples);
    const std::size_t size = std::min(block_size(block) - start, kPartSamples);
    const MatrixView<T> codes = wave_codes(task / kParts, block_size(block)).row_range(start, size);
    u.read(block_start(block) + start, codes);
    reports_[task] = code_step<T>(problem, this->block(block).row_range(start, size), options, work_[worker], codes);
  });
  pool_.run(count, [&](std::size_t i, std::size_t worker) {
    const std::size_t block = first + i;
    u.write(block_start(block), wave_codes(i, block_size(block)), sparse_[i]);
    std::vector<std::size_t>& usage = usage_[worker];
    for (std::size_t e = 0; e < sparse_[i].n_elements(); ++e) ++usage[sparse_[i].column[e]];
  });
}

template <class T>
void CodePass<T>::add_nonzeros(std::size_t first, std::size_t count, Moments& moments) {
  for (std::size_t i = 0; i < count; ++i) sparse_blocks_[i] = {block(first + i), &sparse_[i]};
  sparse_sums_.add(pool_, std::span(sparse_blocks_).first(count), moments.uu, moments.ux);
}

template <class T>
void CodePass<T>::add_products(std::size_t first, std::size_t count, bool marked, Moments& moments) {
  pool_.run(count, [&](std::size_t i, std::size_t) {
    const MatrixView<const T> codes = wave_codes(i, block_size(first + i));
    packed_[i].pack(codes);
    packed_samples_[i].pack(block(first + i));
    if (marked) mark_columns(sparse_[i], codes.cols, marks_[i]);
    const std::uint64_t* marks = marked ? marks_[i].data() : nullptr;
    by_codes_[i] = {codes, &packed_[i], marks};
    by_samples_[i] = {codes, &packed_samples_[i], marks};
  });
  sums_.add(pool_, {{std::span(by_codes_).first(count), true, &moments.uu},
                    {std::span(by_samples_).first(count), false, &moments.ux}});
}

template <class T>
PassReport CodePass<T>::run(const CodeProblem<T>& problem, const CodeOptions& options, SampleRange range,
                            CodeStore<T>& u, Moments& moments) {
  PassReport report;
  range_ = range;
  for (auto& usage : usage_) std::fill(usage.begin(), usage.end(), std::size_t{0});
  std::fill_n(moments.uu.data(), moments.uu.size(), 0.0);
  std::fill_n(moments.ux.data(), moments.ux.size(), 0.0);
  const std::size_t n_blocks = this->n_blocks();
  const std::size_t wave_rows = std::min(wave_, n_blocks) * kBlockSamples;
  if (codes_.rows() < wave_rows) codes_ = Matrix<T>(wave_rows, u.cols());
  for (std::size_t first = 0; first < n_blocks; first += wave_) {
    const std::size_t count = std::min(wave_, n_blocks - first);
    run_wave(problem, options, first, count, u);
    for (std::size_t i = 0; i < count * kParts; ++i) report.codes.add(reports_[i]);
    std::size_t nonzeros = 0;
    for (std::size_t i = 0; i < count; ++i) nonzeros += sparse_[i].n_elements();
    const double share = static_cast<double>(nonzeros) / static_cast<double>(count * kBlockSamples * u.cols());
    if (share <= kSparseSquareShare) {
      add_nonzeros(first, count, moments);
    } else {
      add_products(first, count, share <= kernels<T>().sparse_share, moments);
    }
  }
  report.usage.assign(usage_[0].size(), 0);
  for (const auto& usage : usage_)
    for (std::size_t j = 0; j < usage.size(); ++j) report.usage[j] += usage[j];
  mirror_upper(moments.uu);
  moments.sum_abs_codes = report.codes.sum_abs;
  return report;
}

template class CodePass<float>;
template class CodePass<double>;

}  // namespace dualdict
