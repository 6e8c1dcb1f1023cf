// SPDX-License-Identifier: BSD-3-Clause
// Dot products of four bytes, and the places of large numbers.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_SCREEN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_SCREEN_INL_H
#undef DUALDICT_LINALG_KERNELS_SCREEN_INL_H
#else
#define DUALDICT_LINALG_KERNELS_SCREEN_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "linalg/kernels/screen_kernels.h"
#include "linalg/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

using SumTag = hn::ScalableTag<std::int32_t>;
using Sums = hn::Vec<SumTag>;

// Four neighbouring bytes of a sample, in every lane.
HWY_INLINE Sums four_bytes(const std::uint8_t* x) {
  std::int32_t four;
  std::memcpy(&four, x, sizeof four);
  return hn::Set(SumTag(), four);
}

// add(sum, x, v): sum + the dot products of four bytes of x, without sign, and of v, with sign, lane by lane; exact,
// since those of v are at most kScreenAtomMost.
#undef DUALDICT_HAS_BYTE_DOTS
#define DUALDICT_HAS_BYTE_DOTS 1
#if HWY_TARGET == HWY_AVX3
struct Dots {
  static HWY_INLINE Sums add(Sums sum, Sums x, Sums v) {
    const __m512i pairs = _mm512_maddubs_epi16(x.raw, v.raw);
    return Sums{_mm512_add_epi32(sum.raw, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))};
  }
};
// Of CPUs with AVX-512 VNNI, which is not in Highway's AVX3: hence not the intrinsic.
struct VnniDots {
  static HWY_INLINE Sums add(Sums sum, Sums x, Sums v) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(v.raw));
    return sum;
  }
};
#elif HWY_TARGET == HWY_AVX2
struct Dots {
  static HWY_INLINE Sums add(Sums sum, Sums x, Sums v) {
    const __m256i pairs = _mm256_maddubs_epi16(x.raw, v.raw);
    return Sums{_mm256_add_epi32(sum.raw, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))};
  }
};
#elif HWY_ARCH_ARM_A64
// Those of x become signed by taking their zero away.
struct Dots {
  static HWY_INLINE Sums add(Sums sum, Sums x, Sums v) {
    const int8x16_t a = veorq_s8(vreinterpretq_s8_s32(x.raw), vdupq_n_s8(-128));
    const int8x16_t b = vreinterpretq_s8_s32(v.raw);
#if defined(__ARM_FEATURE_DOTPROD)
    return Sums{vdotq_s32(sum.raw, a, b)};
#else
    const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
    const int16x8_t high = vmull_s8(vget_high_s8(a), vget_high_s8(b));
    return Sums{vpadalq_s16(sum.raw, vpaddq_s16(low, high))};
#endif
  }
};
#else
#undef DUALDICT_HAS_BYTE_DOTS
#define DUALDICT_HAS_BYTE_DOTS 0
#endif

#if DUALDICT_HAS_BYTE_DOTS

// Whether what the zero of samples adds is still in a sum.
inline constexpr bool kZeroIsInSum = HWY_ARCH_X86 != 0;

// As many sums as registers hold: rows of samples by vectors of atoms.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
inline constexpr std::size_t kScreenRows = 4, kScreenVectors = 2;
#else
inline constexpr std::size_t kScreenRows = 6, kScreenVectors = 4;
#endif

template <class ByteDots, std::size_t kRows, std::size_t kVectors>
HWY_INLINE void screen_tile(const ScreenArguments& p, std::size_t row, std::size_t first_vector) {
  const SumTag tag;
  const hn::RebindToFloat<SumTag> float_tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t per_panel = kScreenPanel / lanes;
  const std::size_t row_bytes = p.groups * kScreenGroup;
  const std::uint8_t* x[kRows];
  const std::int8_t* atoms[kVectors];
  Sums sums[kRows][kVectors];
  for (std::size_t i = 0; i < kRows; ++i) x[i] = p.samples + (row + i) * row_bytes;
  for (std::size_t j = 0; j < kVectors; ++j) {
    const std::size_t vector = first_vector + j;
    atoms[j] = p.atoms + (vector / per_panel * p.groups * kScreenPanel + vector % per_panel * lanes) * kScreenGroup;
  }
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kVectors; ++j) sums[i][j] = hn::Zero(tag);
  for (std::size_t g = 0; g < p.groups; ++g) {
    Sums v[kVectors];
    for (std::size_t j = 0; j < kVectors; ++j)
      v[j] = hn::LoadU(tag, reinterpret_cast<const std::int32_t*>(atoms[j] + g * kScreenPanel * kScreenGroup));
    for (std::size_t i = 0; i < kRows; ++i) {
      const Sums four = four_bytes(x[i] + g * kScreenGroup);
      for (std::size_t j = 0; j < kVectors; ++j) sums[i][j] = ByteDots::add(sums[i][j], four, v[j]);
    }
  }
  for (std::size_t j = 0; j < kVectors; ++j) {
    const std::size_t atom = (first_vector + j) * lanes;
    const Sums zeros = kZeroIsInSum ? hn::LoadU(tag, p.zeros + atom) : hn::Zero(tag);
    const auto scales = hn::LoadU(float_tag, p.atom_scales + atom);
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto scale = hn::Mul(hn::Set(float_tag, p.sample_scales[row + i]), scales);
      const auto value = hn::Mul(hn::ConvertTo(float_tag, hn::Sub(sums[i][j], zeros)), scale);
      hn::StoreU(value, float_tag, p.out + (row + i) * p.out_stride + atom);
    }
  }
}

template <class ByteDots, std::size_t kVectors>
HWY_INLINE void screen_columns(const ScreenArguments& p, std::size_t first_vector) {
  std::size_t row = 0;
  for (; row + kScreenRows <= p.n_samples; row += kScreenRows)
    screen_tile<ByteDots, kScreenRows, kVectors>(p, row, first_vector);
  for (; row < p.n_samples; ++row) screen_tile<ByteDots, 1, kVectors>(p, row, first_vector);
}

template <class ByteDots>
void screen(const ScreenArguments& p) {
  const std::size_t n_vectors = p.n_panels * (kScreenPanel / hn::Lanes(SumTag()));
  std::size_t first = 0;
  for (; first + kScreenVectors <= n_vectors; first += kScreenVectors)
    screen_columns<ByteDots, kScreenVectors>(p, first);
  for (; first < n_vectors; ++first) screen_columns<ByteDots, 1>(p, first);
}

#else

struct Dots {};
template <class>
void screen(const ScreenArguments& p) {
  scalar_screen_kernels().screen(p);
}

#endif

std::size_t list_above(const float* row, std::size_t n, float threshold, bool positive, std::uint32_t* places) {
  const Tag<float> tag;
  const hn::RebindToUnsigned<Tag<float>> place_tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto limit = hn::Set(tag, threshold);
  std::size_t count = 0;
  std::size_t k = 0;
  auto at = hn::Iota(place_tag, 0);
  const auto next = hn::Set(place_tag, static_cast<std::uint32_t>(lanes));
  for (; k + lanes <= n; k += lanes) {
    const auto value = hn::LoadU(tag, row + k);
    const auto above = hn::RebindMask(place_tag, hn::Gt(positive ? value : hn::Abs(value), limit));
    if (!hn::AllFalse(place_tag, above)) count += hn::CompressStore(at, above, place_tag, places + count);
    at = hn::Add(at, next);
  }
  for (; k < n; ++k)
    if ((positive ? row[k] : std::abs(row[k])) > threshold) places[count++] = static_cast<std::uint32_t>(k);
  return count;
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
