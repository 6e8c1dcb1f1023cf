// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of every dense product; see TileArguments.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_TILE_INL_H
#undef DUALDICT_LINALG_KERNELS_TILE_INL_H
#else
#define DUALDICT_LINALG_KERNELS_TILE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

// A tile's sums, and with them a row of a panel and one element of the left operand, fill the registers: 16 of AVX2, 32
// of AVX-512 and NEON. The larger the tile, the fewer loads there are for each multiply-add.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON
constexpr std::size_t kTileRows = 8;
constexpr std::size_t kPanelVectors = 3;
#else
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kPanelVectors = 2;
#endif

template <class T>
HWY_INLINE std::size_t panel_width() {
  return kPanelVectors * hn::Lanes(Tag<T>());
}

// `count` elements v of a row, from column j on, shrunk.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> shrunk(const Shrinkage<T>& s, std::size_t row, std::size_t j, std::size_t count,
                                  hn::Vec<Tag<T>> v) {
  const Tag<T> tag;
  const auto zero = hn::Zero(tag);
  const auto size = s.positive ? v : hn::Abs(v);
  const auto threshold = hn::MulAdd(load_first<T>(s.growth + j, count), hn::Set(tag, s.levels[row]),
                                    load_first<T>(s.threshold + j, count));
  const auto excess = hn::Max(hn::Sub(size, threshold), zero);
  return hn::Add(hn::CopySign(hn::Mul(load_first<T>(s.gain + j, count), excess), v), zero);
}

// kRows rows of c, kVectors vectors wide; the last vector may stand for fewer columns.
template <class T, std::size_t kRows, std::size_t kVectors, bool kSubtract>
HWY_INLINE void tile_part(const TileArguments<T>& t, std::size_t first_row) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t last = t.width - (kVectors - 1) * lanes;  // columns of the last vector
  T* const c = t.c + first_row * t.c_stride;
  V sum[kRows][kVectors];
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(3)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const T* at = c + i * t.c_stride + v * lanes;
      // The target is on its way to the cache while its sums are made.
      if (t.into == Into::kSet) __builtin_prefetch(at, 1);
      sum[i][v] = t.into == Into::kSet ? hn::Zero(tag) : load_first<T>(at, v + 1 == kVectors ? last : lanes);
    }
  }
  const T* a = t.a + first_row * t.row_stride;
  const T* panel = t.panel;
  for (std::size_t k = 0; k < t.depth; ++k, a += t.depth_stride, panel += kPanelVectors * lanes) {
    V b[kVectors];
    HWY_UNROLL(3)
    for (std::size_t v = 0; v < kVectors; ++v) b[v] = hn::Load(tag, panel + v * lanes);
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < kRows; ++i) {
      const V ai = hn::Set(tag, a[i * t.row_stride]);
      HWY_UNROLL(3)
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[i][v] = kSubtract ? hn::NegMulAdd(ai, b[v], sum[i][v]) : hn::MulAdd(ai, b[v], sum[i][v]);
    }
  }
  if (!kSubtract && t.shrinkage.gain != nullptr) {
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(3)
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[i][v] = shrunk(t.shrinkage, first_row + i, v * lanes, v + 1 == kVectors ? last : lanes, sum[i][v]);
    }
  }
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(3)
    for (std::size_t v = 0; v < kVectors; ++v)
      store_first<T>(sum[i][v], c + i * t.c_stride + v * lanes, v + 1 == kVectors ? last : lanes);
  }
}

template <class T, std::size_t kVectors, bool kSubtract>
HWY_INLINE void tile_rows(const TileArguments<T>& t) {
  if (t.rows == kTileRows) return tile_part<T, kTileRows, kVectors, kSubtract>(t, 0);
  std::size_t row = 0;
  for (; row + 4 <= t.rows; row += 4) tile_part<T, 4, kVectors, kSubtract>(t, row);
  for (; row < t.rows; ++row) tile_part<T, 1, kVectors, kSubtract>(t, row);
}

template <class T, bool kSubtract>
HWY_INLINE void tile_columns(const TileArguments<T>& t) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  if (t.width <= lanes) return tile_rows<T, 1, kSubtract>(t);
  if (t.width <= 2 * lanes) return tile_rows<T, 2, kSubtract>(t);
  if constexpr (kPanelVectors > 2) tile_rows<T, 3, kSubtract>(t);
}

template <class T>
void tile(const TileArguments<T>& t) {
  if (t.into == Into::kSubtract)
    tile_columns<T, true>(t);
  else
    tile_columns<T, false>(t);
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
