// SPDX-License-Identifier: BSD-3-Clause
// Vectors of the instruction set, and the last vector of a row that is not a whole number of them.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_VECTORS_INL_H
#undef DUALDICT_LINALG_KERNELS_VECTORS_INL_H
#else
#define DUALDICT_LINALG_KERNELS_VECTORS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

#undef DUALDICT_HAS_MASKS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define DUALDICT_HAS_MASKS 1
#else
#define DUALDICT_HAS_MASKS 0
#endif

// The first `count` (1 to all) elements of a vector. What lies behind them in memory is neither read nor written: it
// may be another thread's row, or no memory at all. Highway's masked access keeps to that from AVX2 on.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> load_first(const T* from, std::size_t count) {
  const Tag<T> tag;
  if (count == hn::Lanes(tag)) return hn::LoadU(tag, from);
#if DUALDICT_HAS_MASKS
  return hn::MaskedLoad(hn::FirstN(tag, count), tag, from);
#else
  HWY_ALIGN T part[HWY_MAX_BYTES / sizeof(T)] = {};
  std::memcpy(part, from, HWY_MIN(count, hn::Lanes(tag)) * sizeof(T));
  return hn::Load(tag, part);
#endif
}
template <class T>
HWY_INLINE void store_first(hn::Vec<Tag<T>> v, T* to, std::size_t count) {
  const Tag<T> tag;
  if (count == hn::Lanes(tag)) return hn::StoreU(v, tag, to);
#if DUALDICT_HAS_MASKS
  hn::BlendedStore(v, hn::FirstN(tag, count), tag, to);
#else
  HWY_ALIGN T part[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(v, tag, part);
  std::memcpy(to, part, HWY_MIN(count, hn::Lanes(tag)) * sizeof(T));
#endif
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
