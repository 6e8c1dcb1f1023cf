// SPDX-License-Identifier: BSD-3-Clause
#include "learn/samples/measure.h"

#include <algorithm>
#include <array>
#include <vector>

#include "linalg/product.h"
#include "linalg/sparse_product.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// Sums over a block.
struct BlockEnergy {
  double reconstruction = 0;  // |X - DU|^2
  double coding = 0;          // |U - CX|^2
  double abs = 0;             // what the penalty counts
  double squared = 0;
};

template <class T>
struct MeasureWorkspace {
  Matrix<T> residual;
  Matrix<T> mismatch;
  Matrix<T> codes;
  UsedColumns used;
};

}  // namespace

template <class T>
Energy measure_energy(const Samples<T>& samples, const Objective& objective, const Matrix<double>& dictionary,
                      const Matrix<double>& dual, const CodeStore<T>& u, ThreadPool& pool) {
  PackedRight<T> atoms, filters;
  atoms.pack(convert<T>(dictionary).view());
  filters.pack_transposed(convert<T>(dual).view());
  const bool l0 = objective.penalty == Penalty::kL0;
  std::vector<BlockEnergy> blocks(samples.n_blocks());
  std::vector<MeasureWorkspace<T>> work(pool.size());
  pool.run(samples.n_blocks(), [&](std::size_t block, std::size_t worker) {
    auto& [residual, mismatch, buffer, used] = work[worker];
    if (residual.empty()) {
      residual = Matrix<T>(kBlockSamples, objective.n_features);
      mismatch = Matrix<T>(kBlockSamples, objective.n_atoms);
    }
    const MatrixView<const T> x = samples.block(block);
    const MatrixView<const T> codes = u.read_block(block, buffer);
    for (std::size_t i = 0; i < x.rows; ++i) {
      std::copy_n(x.row(i), x.cols, residual.row(i));
      std::copy_n(codes.row(i), codes.cols, mismatch.row(i));
    }
    multiply_sparse(codes, atoms, Into::kSubtract, used, residual.view().row_range(0, x.rows));
    if (objective.eta > 0) multiply(plain(x), filters, mismatch.view().row_range(0, x.rows), Into::kSubtract);
    BlockEnergy& sums = blocks[block];
    for (std::size_t i = 0; i < x.rows; ++i) {
      sums.reconstruction += squared_norm(residual.row(i), x.cols);
      if (objective.eta > 0) sums.coding += squared_norm(mismatch.row(i), codes.cols);
      sums.abs +=
          l0 ? static_cast<double>(count_nonzeros(codes.row(i), codes.cols)) : sum_abs(codes.row(i), codes.cols);
      sums.squared += squared_norm(codes.row(i), codes.cols);
    }
  });
  Energy energy;
  for (const BlockEnergy& block : blocks) {
    energy.reconstruction += block.reconstruction / objective.d();
    energy.coding += objective.coding_weight() * block.coding;
    if (l0) energy.l0 += objective.price / objective.d() * block.abs;
    energy.l1 += 2 * objective.lambda() * block.abs;
    energy.l2 += objective.mu / objective.k() * block.squared;
  }
  if (!samples.alone()) {
    std::array<double, 5> terms{energy.reconstruction, energy.coding, energy.l1, energy.l2, energy.l0};
    samples.ranks->sum(terms);
    energy = {terms[0], terms[1], terms[2], terms[3], terms[4]};
  }
  return energy;
}

template Energy measure_energy<float>(const Samples<float>&, const Objective&, const Matrix<double>&,
                                      const Matrix<double>&, const CodeStore<float>&, ThreadPool&);
template Energy measure_energy<double>(const Samples<double>&, const Objective&, const Matrix<double>&,
                                       const Matrix<double>&, const CodeStore<double>&, ThreadPool&);

}  // namespace dualdict
