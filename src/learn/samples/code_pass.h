// SPDX-License-Identifier: BSD-3-Clause
// The code step over all samples, and the sums of the codes that the other steps need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watched_pool.h"
#include "learn/samples/batch_coder.h"
#include "learn/samples/code_store.h"
#include "learn/samples/samples.h"
#include "linalg/block_sums.h"
#include "linalg/sparse_sums.h"
#include "solvers/objective.h"

namespace dualdict {

// The codes of the blocks between two rounds of sums, at most (one block may be more). Beside them stand their
// nonzeros, and they once more in packed form, with their samples, when they are not sparse.
inline constexpr std::size_t kWaveBytes = std::size_t{32} << 20;

// What a pass leaves beside the codes.
struct PassReport {
  std::size_t n_samples = 0;
  CodeReport codes;                // sums over all samples
  std::vector<std::size_t> usage;  // samples with a nonzero coefficient of each atom
};

template <class T>
class CodePass {
 public:
  // Counts the samples that it has coded in the progress of the pool.
  CodePass(std::size_t n_features, std::size_t n_atoms, const WatchedPool& work);

  // Improves the codes u of some of the samples x, both N rows, and sets uu, ux and sum_abs_codes of the moments to
  // their sums.
  PassReport run(BatchCoder<T>& coder, MatrixView<const T> x, SampleRange range, CodeStore<T>& u, Moments& moments);

 private:
  // The blocks [first, first + count): codes, also in codes_, their report in reports_, their nonzeros in blocks_.
  void run_wave(BatchCoder<T>& coder, std::size_t first, std::size_t count, CodeStore<T>& u);
  // Blocks are those of the store as far as they are in the range: the first and the last may be parts.
  std::size_t n_blocks() const {
    return range_.count == 0 ? 0 : (end() - 1) / kBlockSamples - range_.first / kBlockSamples + 1;
  }
  std::size_t end() const { return range_.first + range_.count; }
  std::size_t block_start(std::size_t block) const {
    return std::max(range_.first, (range_.first / kBlockSamples + block) * kBlockSamples);
  }
  std::size_t block_size(std::size_t block) const {
    return std::min(end(), (range_.first / kBlockSamples + block + 1) * kBlockSamples) - block_start(block);
  }
  MatrixView<const T> block(std::size_t block) const { return x_.row_range(block_start(block), block_size(block)); }
  // The codes of block i of the wave.
  MatrixView<T> wave_codes(std::size_t i, std::size_t size) { return codes_.view().row_range(i * kBlockSamples, size); }
  // Add the wave's sums to uu and ux: from one nonzero to the next, or as products, in which zeros are passed over
  // when they are marked.
  void add_nonzeros(std::size_t first, std::size_t count, Moments& moments);
  void add_products(std::size_t first, std::size_t count, bool marked, Moments& moments);

  // A block of the wave: its codes as nonzeros and, in a wave that is not sparse, packed, with its samples and with
  // marks where the transposed codes are not zero.
  struct WaveBlock {
    SparseRows<T> nonzeros;
    PackedRight<T> codes, samples;
    std::vector<std::uint64_t> marks;
  };
  // The products of a wave, or its nonzeros, as the sums take them.
  struct WaveSums {
    std::vector<BlockProduct<T>> by_codes, by_samples;
    std::vector<SparseBlock<T>> sparse;
  };

  ThreadPool& pool_;
  WatchedPool watched_;
  MatrixView<const T> x_;                        // of the pass
  SampleRange range_;                            // the same
  std::size_t wave_;                             // blocks between two rounds of sums
  std::vector<std::vector<std::size_t>> usage_;  // per worker; whole numbers, so their order does not matter
  Matrix<T> codes_;                              // of the wave
  std::vector<CodeReport> reports_;              // per part of a block of the wave
  std::vector<WaveBlock> blocks_;
  WaveSums wave_sums_;
  BlockSums<T> sums_;
  SparseSums<T> sparse_sums_;
};

}  // namespace dualdict
