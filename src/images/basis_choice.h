// SPDX-License-Identifier: BSD-3-Clause
// Which of some orthonormal bases suits each patch best, and its coefficients there.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/thread_pool.h"
#include "images/patch_bases.h"

namespace dualdict {

// The named rows of a matrix.
inline Matrix<float> rows_of(MatrixView<const float> from, std::span<const std::size_t> rows) {
  Matrix<float> chosen(rows.size(), from.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(from.row(rows[i]), from.cols, chosen.row(i));
  return chosen;
}

// The sum of f over a row, in lanes that the compiler makes vectors of.
template <class F>
float sum_over(const float* row, std::size_t n, const F& f) {
  constexpr std::size_t kLanes = 8;
  std::array<float, kLanes> sums{};
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += f(row[k + lane]);
  for (; k < n; ++k) sums[0] += f(row[k]);
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

struct ChoiceWork {
  Matrix<float> coefficients;  // in the basis that is tried
  Matrix<float> best;          // in the best so far
  std::vector<float> cost;
  std::vector<std::size_t> basis;
  Matrix<float> gathered, filtered;  // patches of one basis
  std::vector<std::size_t> rows;
};

// The basis in which `cost` summed over a patch's coefficients is least, and those coefficients.
template <class Cost>
void choose_bases(MatrixView<const float> patches, const std::vector<PackedRight<float>>& forward, const Cost& cost,
                  ChoiceWork& work) {
  const std::size_t d = patches.cols;
  if (work.best.rows() < patches.rows || work.best.cols() != d) {
    work.coefficients = Matrix<float>(patches.rows, d);
    work.best = Matrix<float>(patches.rows, d);
  }
  work.cost.assign(patches.rows, std::numeric_limits<float>::infinity());
  work.basis.assign(patches.rows, 0);
  const MatrixView<float> tried = work.coefficients.view().row_range(0, patches.rows);
  for (std::size_t m = 0; m < forward.size(); ++m) {
    multiply<float>(plain(patches), forward[m], tried);
    for (std::size_t i = 0; i < patches.rows; ++i) {
      const float here = sum_over(tried.row(i), d, cost);
      if (m > 0 && !(here < work.cost[i])) continue;
      work.cost[i] = here;
      work.basis[i] = m;
      std::copy_n(tried.row(i), d, work.best.row(i));
    }
  }
}

// forward: x -> B x; back: z -> B'z.
inline void pack_bases(const PatchBases& bases, std::vector<PackedRight<float>>& forward,
                       std::vector<PackedRight<float>>& back) {
  forward.resize(bases.size());
  back.resize(bases.size());
  for (std::size_t m = 0; m < bases.size(); ++m) {
    forward[m].pack_transposed(bases[m].view());
    back[m].pack(bases[m].view());
  }
}

// For each patch the basis of the least sum of min(z^2, threshold^2).
std::vector<std::size_t> sparsest_bases(MatrixView<const float> patches, const PatchBases& bases, double threshold,
                                        ThreadPool& pool);

}  // namespace dualdict
