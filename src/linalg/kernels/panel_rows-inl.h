// SPDX-License-Identifier: BSD-3-Clause
// Products whose left operand is sparse; see PanelRowsArguments.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H
#undef DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H
#else
#define DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

// As many panels as have room for their sums in the registers. First caches are of 32 KiB, with AVX-512 mostly of 48.
constexpr double kSparseShare = 0.45;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr std::size_t kPanelsAtOnce = 5;
constexpr std::size_t kCacheBytes = 40 << 10;
#else
constexpr std::size_t kPanelsAtOnce = 4;
constexpr std::size_t kCacheBytes = 28 << 10;
#endif

// One row after the other, kVectors vectors of it in registers all the while.
template <class T, std::size_t kVectors, bool kSubtract>
HWY_INLINE void add_vectors(const PanelRowsArguments<T>& p) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t last = p.n - (kVectors - 1) * lanes;  // columns of the last vector
  for (std::size_t i = 0; i < p.n_rows; ++i) {
    const std::uint64_t* const used = p.used + i * p.used_stride;
    std::uint64_t any = 0;
    for (std::size_t w = 0; w < p.n_words; ++w) any |= used[w];
    if (any == 0 && p.shrinkage.gain == nullptr) continue;
    const T* const left = p.left + i * p.row_stride;
    T* const out = p.out + i * p.out_stride;
    V sum[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
      sum[v] = load_first<T>(out + v * lanes, v + 1 == kVectors ? last : lanes);
    for (std::size_t w = 0; w < p.n_words; ++w) {
      for (std::uint64_t bits = used[w]; bits != 0; bits &= bits - 1) {
        const std::size_t column = w * kMarksPerWord + static_cast<std::size_t>(std::countr_zero(bits));
        const V factor = hn::Set(tag, left[column * p.depth_stride]);
        const T* row = p.panels + column * (kPanelVectors * lanes);
        HWY_UNROLL(16)
        for (std::size_t v = 0; v < kVectors; ++v) {
          const V part = hn::Load(tag, row + v / kPanelVectors * p.panel_size + v % kPanelVectors * lanes);
          sum[v] = kSubtract ? hn::NegMulAdd(factor, part, sum[v]) : hn::MulAdd(factor, part, sum[v]);
        }
      }
    }
    if (p.shrinkage.gain != nullptr)
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[v] = shrunk(p.shrinkage, i, v * lanes, v + 1 == kVectors ? last : lanes, sum[v]);
    for (std::size_t v = 0; v < kVectors; ++v)
      store_first<T>(sum[v], out + v * lanes, v + 1 == kVectors ? last : lanes);
  }
}

// The number of vectors, known to the compiler.
template <class T, std::size_t kVectors, bool kSubtract>
HWY_INLINE void add_some_vectors(const PanelRowsArguments<T>& p) {
  if constexpr (kVectors > 1) {
    if (p.n <= (kVectors - 1) * hn::Lanes(Tag<T>())) return add_some_vectors<T, kVectors - 1, kSubtract>(p);
  }
  add_vectors<T, kVectors, kSubtract>(p);
}

template <class T>
void add_panel_rows(const PanelRowsArguments<T>& p) {
  if (p.into == Into::kSubtract)
    add_some_vectors<T, kPanelsAtOnce * kPanelVectors, true>(p);
  else
    add_some_vectors<T, kPanelsAtOnce * kPanelVectors, false>(p);
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// In registers: compressing into memory is very slow on some CPUs.
HWY_INLINE std::size_t compress_nonzeros(const float* row, std::size_t n, std::uint32_t* columns, float* values) {
  const Tag<float> tag;
  const Tag<std::uint32_t> index_tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto step = hn::Set(index_tag, static_cast<std::uint32_t>(lanes));
  auto index = hn::Iota(index_tag, 0);
  std::size_t count = 0;
  for (std::size_t j = 0; j < n; j += lanes) {
    const auto part = load_first<float>(row + j, std::min(lanes, n - j));
    const auto nonzero = hn::Ne(part, hn::Zero(tag));
    hn::StoreU(hn::Compress(part, nonzero), tag, values + count);
    hn::StoreU(hn::Compress(index, hn::RebindMask(index_tag, nonzero)), index_tag, columns + count);
    count += hn::CountTrue(tag, nonzero);
    index = hn::Add(index, step);
  }
  return count;
}
#endif

// A bit for each of the `count` (at most 64) elements: set where it is not zero.
template <class T>
HWY_INLINE std::uint64_t nonzero_bits(const T* row, std::size_t count) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::uint64_t nonzero = 0;
  for (std::size_t j = 0; j < count; j += lanes) {
    std::uint64_t bits = 0;
    std::uint8_t bytes[sizeof(bits)] = {};
    const auto part = load_first<T>(row + j, std::min(lanes, count - j));
    hn::StoreMaskBits(tag, hn::Ne(part, hn::Zero(tag)), bytes);
    std::memcpy(&bits, bytes, sizeof(bits));
    nonzero |= bits << j;
  }
  return nonzero;
}

template <class T>
std::size_t list_nonzeros(const T* row, std::size_t n, std::uint32_t* columns, T* values) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(T) == sizeof(float)) return compress_nonzeros(row, n, columns, values);
#endif
  std::size_t count = 0;
  for (std::size_t first = 0; first < n; first += kMarksPerWord) {
    std::uint64_t nonzero = nonzero_bits(row + first, std::min(kMarksPerWord, n - first));
    for (; nonzero != 0; nonzero &= nonzero - 1, ++count) {
      const std::size_t column = first + static_cast<std::size_t>(std::countr_zero(nonzero));
      columns[count] = static_cast<std::uint32_t>(column);
      values[count] = row[column];
    }
  }
  return count;
}

template <class T>
void mark_nonzeros(const T* row, std::size_t n, std::uint64_t* bits) {
  for (std::size_t first = 0; first < n; first += kMarksPerWord, ++bits)
    *bits = nonzero_bits(row + first, std::min(kMarksPerWord, n - first));
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
