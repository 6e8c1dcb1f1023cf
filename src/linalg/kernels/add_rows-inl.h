// SPDX-License-Identifier: BSD-3-Clause
// A sum of scaled rows of a matrix; see RowsArguments.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_ADD_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_ADD_ROWS_INL_H
#undef DUALDICT_LINALG_KERNELS_ADD_ROWS_INL_H
#else
#define DUALDICT_LINALG_KERNELS_ADD_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

// kVectors vectors of the sum from column k on, in registers all the while; the last of them ends at `end`.
template <class T, std::size_t kVectors>
HWY_INLINE void add_rows_part(const RowsArguments<T>& p, std::size_t k, std::size_t end) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t last = k + (kVectors - 1) * lanes;
  hn::Vec<Tag<T>> sums[kVectors];
  for (std::size_t v = 0; v + 1 < kVectors; ++v) sums[v] = hn::LoadU(tag, p.out + k + v * lanes);
  sums[kVectors - 1] = load_first<T>(p.out + last, end - last);
  for (std::size_t e = 0; e < p.count; ++e) {
    const auto factor = hn::Set(tag, p.sign * p.factors[e]);
    const T* row = p.matrix + p.rows[e] * p.stride + k;
    for (std::size_t v = 0; v + 1 < kVectors; ++v)
      sums[v] = hn::MulAdd(factor, hn::LoadU(tag, row + v * lanes), sums[v]);
    sums[kVectors - 1] =
        hn::MulAdd(factor, load_first<T>(row + (kVectors - 1) * lanes, end - last), sums[kVectors - 1]);
  }
  for (std::size_t v = 0; v + 1 < kVectors; ++v) hn::StoreU(sums[v], tag, p.out + k + v * lanes);
  store_first<T>(sums[kVectors - 1], p.out + last, end - last);
}

// In parts of equal length, of at most eight vectors: a short part would wait for the latency of its sums.
template <class T>
void add_rows(const RowsArguments<T>& p) {
  constexpr std::size_t kMostVectors = 8;
  const std::size_t lanes = hn::Lanes(Tag<T>());
  const std::size_t n_vectors = (p.n + lanes - 1) / lanes;
  const std::size_t n_parts = (n_vectors + kMostVectors - 1) / kMostVectors;
  std::size_t k = 0;
  for (std::size_t part = 0; part < n_parts; ++part) {
    const std::size_t count = n_vectors * (part + 1) / n_parts - k / lanes;
    const std::size_t end = std::min(p.n, k + count * lanes);
    switch (count) {
      case 1:
        add_rows_part<T, 1>(p, k, end);
        break;
      case 2:
        add_rows_part<T, 2>(p, k, end);
        break;
      case 3:
        add_rows_part<T, 3>(p, k, end);
        break;
      case 4:
        add_rows_part<T, 4>(p, k, end);
        break;
      case 5:
        add_rows_part<T, 5>(p, k, end);
        break;
      case 6:
        add_rows_part<T, 6>(p, k, end);
        break;
      case 7:
        add_rows_part<T, 7>(p, k, end);
        break;
      default:
        add_rows_part<T, 8>(p, k, end);
        break;
    }
    k = end;
  }
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
