// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_sums.h"

#include <algorithm>

#include "linalg/kernels/kernels.h"

namespace dualdict {
namespace {

constexpr std::size_t kAtomsPerTask = 32;
constexpr std::uint32_t kOnlyRow = 0;

// The part of a row of codes that a task looks at.
struct Range {
  std::size_t first;  // the first element whose atom the task owns
  std::size_t last;   // the first beyond
  std::size_t end;    // of the row
};

template <class T>
Range owned(const SparseRows<T>& codes, std::size_t row, std::size_t first_atom, std::size_t last_atom) {
  const auto begin = codes.column.begin();
  const auto at = [&](std::size_t element) { return begin + static_cast<std::ptrdiff_t>(element); };
  const auto from = std::lower_bound(at(codes.begin[row]), at(codes.begin[row + 1]), first_atom);
  const auto to = std::lower_bound(from, at(codes.begin[row + 1]), last_atom);
  return {static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - begin), codes.begin[row + 1]};
}

}  // namespace

template <class T>
SparseSums<T>::SparseSums(std::size_t n_workers, std::size_t n_features) {
  scratch_.reserve(n_workers);
  for (std::size_t i = 0; i < n_workers; ++i) scratch_.emplace_back(kAtomsPerTask, n_features);
}

template <class T>
void SparseSums<T>::add(ThreadPool& pool, std::span<const SparseBlock<T>> blocks, Matrix<double>& uu,
                        Matrix<double>& ux) {
  const std::size_t n_atoms = uu.rows();
  const std::size_t n_features = ux.cols();
  const Kernels<T>& kernel = kernels<T>();
  pool.run((n_atoms + kAtomsPerTask - 1) / kAtomsPerTask, [&](std::size_t task, std::size_t worker) {
    const std::size_t first_atom = task * kAtomsPerTask;
    const std::size_t last_atom = std::min(n_atoms, first_atom + kAtomsPerTask);
    Matrix<T>& products = scratch_[worker];
    for (const SparseBlock<T>& block : blocks) {
      const SparseRows<T>& codes = *block.codes;
      std::fill_n(products.data(), products.size(), T{0});
      for (std::size_t row = 0; row < codes.n_rows(); ++row) {
        const Range range = owned(codes, row, first_atom, last_atom);
        for (std::size_t e = range.first; e < range.last; ++e) {
          const std::size_t atom = codes.column[e];
          const auto value = static_cast<double>(codes.value[e]);
          double* out = uu.row(atom);
          for (std::size_t f = e; f < range.end; ++f)
            out[codes.column[f]] += value * static_cast<double>(codes.value[f]);
          kernel.add_rows({&codes.value[e], &kOnlyRow, 1, T{1}, block.samples.row(row), 0,
                           products.row(atom - first_atom), n_features});
        }
      }
      for (std::size_t atom = first_atom; atom < last_atom; ++atom) {
        const T* in = products.row(atom - first_atom);
        double* out = ux.row(atom);
        for (std::size_t k = 0; k < n_features; ++k) out[k] += static_cast<double>(in[k]);
      }
    }
  });
}

template class SparseSums<float>;
template class SparseSums<double>;

}  // namespace dualdict
