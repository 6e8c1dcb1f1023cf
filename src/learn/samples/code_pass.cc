// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples/code_pass.h"

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
CodePass<T>::CodePass(std::size_t n_features, std::size_t n_atoms, const WatchedPool& work)
    : pool_(work.pool),
      watched_(work),
      wave_(blocks_per_wave(n_atoms, sizeof(T))),
      usage_(work.pool.size(), std::vector<std::size_t>(n_atoms)),
      reports_(wave_ * kParts),
      blocks_(wave_),
      wave_sums_{std::vector<BlockProduct<T>>(wave_), std::vector<BlockProduct<T>>(wave_),
                 std::vector<SparseBlock<T>>(wave_)},
      sums_(work.pool.size(), std::max(n_atoms, n_features)),
      sparse_sums_(work.pool.size(), n_features) {}

template <class T>
void CodePass<T>::run_wave(BatchCoder<T>& coder, std::size_t first, std::size_t count, CodeStore<T>& u) {
  pool_.run(count * kParts, [&](std::size_t task, std::size_t worker) {
    watched_.interrupt.throw_if_due();
    const std::size_t block = first + task / kParts;
    const std::size_t start = std::min(block_size(block), task % kParts * kPartSamples);
    const std::size_t size = std::min(block_size(block) - start, kPartSamples);
    const MatrixView<T> codes = wave_codes(task / kParts, block_size(block)).row_range(start, size);
    u.read(block_start(block) + start, codes);
    reports_[task] = coder.code(worker, this->block(block).row_range(start, size), codes);
    watched_.progress.advance(size);
  });
  pool_.run(count, [&](std::size_t i, std::size_t worker) {
    const std::size_t block = first + i;
    SparseRows<T>& nonzeros = blocks_[i].nonzeros;
    u.write(block_start(block), wave_codes(i, block_size(block)), nonzeros);
    std::vector<std::size_t>& usage = usage_[worker];
    for (std::size_t e = 0; e < nonzeros.n_elements(); ++e) ++usage[nonzeros.column[e]];
  });
}

template <class T>
void CodePass<T>::add_nonzeros(std::size_t first, std::size_t count, Moments& moments) {
  for (std::size_t i = 0; i < count; ++i) wave_sums_.sparse[i] = {block(first + i), &blocks_[i].nonzeros};
  sparse_sums_.add(pool_, std::span(wave_sums_.sparse).first(count), moments.uu, moments.ux);
}

template <class T>
void CodePass<T>::add_products(std::size_t first, std::size_t count, bool marked, Moments& moments) {
  pool_.run(count, [&](std::size_t i, std::size_t) {
    const MatrixView<const T> codes = wave_codes(i, block_size(first + i));
    WaveBlock& one = blocks_[i];
    one.codes.pack(codes);
    one.samples.pack(block(first + i));
    if (marked) mark_columns(one.nonzeros, codes.cols, one.marks);
    const std::uint64_t* marks = marked ? one.marks.data() : nullptr;
    wave_sums_.by_codes[i] = {codes, &one.codes, marks};
    wave_sums_.by_samples[i] = {codes, &one.samples, marks};
  });
  sums_.add(pool_, {{std::span(wave_sums_.by_codes).first(count), true, &moments.uu},
                    {std::span(wave_sums_.by_samples).first(count), false, &moments.ux}});
}

template <class T>
PassReport CodePass<T>::run(BatchCoder<T>& coder, MatrixView<const T> x, SampleRange range, CodeStore<T>& u,
                            Moments& moments) {
  PassReport report;
  report.n_samples = range.count;
  x_ = x;
  range_ = range;
  for (auto& usage : usage_) std::fill(usage.begin(), usage.end(), std::size_t{0});
  std::fill_n(moments.uu.data(), moments.uu.size(), 0.0);
  std::fill_n(moments.ux.data(), moments.ux.size(), 0.0);
  const std::size_t n_blocks = this->n_blocks();
  const std::size_t wave_rows = std::min(wave_, n_blocks) * kBlockSamples;
  if (codes_.rows() < wave_rows) codes_ = Matrix<T>(wave_rows, u.cols());
  for (std::size_t first = 0; first < n_blocks; first += wave_) {
    const std::size_t count = std::min(wave_, n_blocks - first);
    run_wave(coder, first, count, u);
    for (std::size_t i = 0; i < count * kParts; ++i) report.codes.add(reports_[i]);
    std::size_t nonzeros = 0;
    for (std::size_t i = 0; i < count; ++i) nonzeros += blocks_[i].nonzeros.n_elements();
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
