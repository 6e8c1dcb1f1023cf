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

#include <cstddef>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/support_inverse-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

// kVectors vectors of the sum from column k on, in registers all the while.
template <class T, std::size_t kVectors>
HWY_INLINE void add_rows_part(const RowsArguments<T>& p, std::size_t k) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  hn::Vec<Tag<T>> sums[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(tag, p.out + k + v * lanes);
  for (std::size_t e = 0; e < p.count; ++e) {
    const auto factor = hn::Set(tag, p.sign * p.factors[e]);
    const T* row = p.matrix + p.rows[e] * p.stride + k;
    for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::MulAdd(factor, hn::LoadU(tag, row + v * lanes), sums[v]);
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], tag, p.out + k + v * lanes);
}

template <class T>
void add_rows(const RowsArguments<T>& p) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  std::size_t k = 0;
  for (; k + 8 * lanes <= p.n; k += 8 * lanes) add_rows_part<T, 8>(p, k);
  for (; k + 4 * lanes <= p.n; k += 4 * lanes) add_rows_part<T, 4>(p, k);
  for (; k + lanes <= p.n; k += lanes) add_rows_part<T, 1>(p, k);
  const hn::CappedTag<T, 1> one;
  for (; k < p.n; ++k) {
    auto sum = hn::LoadU(one, p.out + k);
    for (std::size_t e = 0; e < p.count; ++e)
      sum = hn::MulAdd(hn::Set(one, p.sign * p.factors[e]), hn::LoadU(one, p.matrix + p.rows[e] * p.stride + k), sum);
    hn::StoreU(sum, one, p.out + k);
  }
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
