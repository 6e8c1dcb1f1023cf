// SPDX-License-Identifier: BSD-3-Clause
// The inverse of H on the support of one code, which grows by one or two coordinates at a time.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_SUPPORT_INVERSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_SUPPORT_INVERSE_INL_H
#undef DUALDICT_LINALG_KERNELS_SUPPORT_INVERSE_INL_H
#else
#define DUALDICT_LINALG_KERNELS_SUPPORT_INVERSE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

// The support in slots 0 .. n-1. Vectors and rows are zero from slot n to the next whole vector.
template <class T>
struct ActiveSet {
  std::size_t n = 0;
  std::size_t stride = 0;
  T* inverse = nullptr;  // of H on the support, both triangles
  T* u = nullptr;
  T* from = nullptr;  // u where r was last brought up to date
  T* step = nullptr;  // from u to the minimum over the support
  T* sign = nullptr;
  T* column[2] = {};   // of H, for what enters
  T* product[2] = {};  // inverse times column
  T* scaled[2] = {};
};

template <class T>
HWY_INLINE std::size_t whole_vectors(std::size_t n) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  return (n + lanes - 1) / lanes * lanes;
}

template <class T>
HWY_INLINE ActiveSet<T> empty_active_set(const DescentArguments<T>& p) {
  ActiveSet<T> s;
  s.stride = p.active.limit + kWidestVector;
  T* vector = p.active.numbers;
  for (T** slot : {&s.u, &s.from, &s.step, &s.sign, &s.column[0], &s.column[1], &s.product[0], &s.product[1],
                   &s.scaled[0], &s.scaled[1]}) {
    *slot = vector;
    vector += s.stride;
  }
  s.inverse = vector;
  return s;
}

// out[c] = inverse * in[c] for kColumns columns, kVectors vectors of them from k on.
template <class T, std::size_t kColumns, std::size_t kVectors>
HWY_INLINE void multiply_part(const ActiveSet<T>& s, T* const* in, T* const* out, std::size_t k) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  hn::Vec<Tag<T>> sums[kColumns][kVectors];
  for (std::size_t c = 0; c < kColumns; ++c)
    for (std::size_t v = 0; v < kVectors; ++v) sums[c][v] = hn::Zero(tag);
  const T* row = s.inverse + k;
  for (std::size_t i = 0; i < s.n; ++i, row += s.stride)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto part = hn::LoadU(tag, row + v * lanes);
      for (std::size_t c = 0; c < kColumns; ++c) sums[c][v] = hn::MulAdd(hn::Set(tag, in[c][i]), part, sums[c][v]);
    }
  for (std::size_t c = 0; c < kColumns; ++c)
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[c][v], tag, out[c] + k + v * lanes);
}

template <class T, std::size_t kColumns>
HWY_INLINE void multiply_inverse(const ActiveSet<T>& s, T* const* in, T* const* out) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  const std::size_t end = whole_vectors<T>(s.n);
  std::size_t k = 0;
  for (; k + 4 * lanes <= end; k += 4 * lanes) multiply_part<T, kColumns, 4>(s, in, out, k);
  for (; k + 2 * lanes <= end; k += 2 * lanes) multiply_part<T, kColumns, 2>(s, in, out, k);
  for (; k < end; k += lanes) multiply_part<T, kColumns, 1>(s, in, out, k);
}

// inverse += sum over kColumns of left[c] right[c]', kVectors vectors of columns from k on.
template <class T, std::size_t kColumns, std::size_t kVectors>
HWY_INLINE void add_outer_part(const ActiveSet<T>& s, T* const* left, T* const* right, std::size_t k) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  hn::Vec<Tag<T>> factors[kColumns][kVectors];
  for (std::size_t c = 0; c < kColumns; ++c)
    for (std::size_t v = 0; v < kVectors; ++v) factors[c][v] = hn::LoadU(tag, right[c] + k + v * lanes);
  T* row = s.inverse + k;
  for (std::size_t i = 0; i < s.n; ++i, row += s.stride)
    for (std::size_t v = 0; v < kVectors; ++v) {
      auto part = hn::LoadU(tag, row + v * lanes);
      for (std::size_t c = 0; c < kColumns; ++c) part = hn::MulAdd(hn::Set(tag, left[c][i]), factors[c][v], part);
      hn::StoreU(part, tag, row + v * lanes);
    }
}

template <class T, std::size_t kColumns>
HWY_INLINE void add_outer(const ActiveSet<T>& s, T* const* left, T* const* right) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  const std::size_t end = whole_vectors<T>(s.n);
  std::size_t k = 0;
  for (; k + 4 * lanes <= end; k += 4 * lanes) add_outer_part<T, kColumns, 4>(s, left, right, k);
  for (; k + 2 * lanes <= end; k += 2 * lanes) add_outer_part<T, kColumns, 2>(s, left, right, k);
  for (; k < end; k += lanes) add_outer_part<T, kColumns, 1>(s, left, right, k);
}

template <class T>
HWY_INLINE T dot_of_slots(const ActiveSet<T>& s, const T* a, const T* b) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto sums = hn::Zero(tag);
  for (std::size_t k = 0; k < s.n; k += lanes) sums = hn::MulAdd(hn::LoadU(tag, a + k), hn::LoadU(tag, b + k), sums);
  return hn::GetLane(hn::SumOfLanes(tag, sums));
}

// The symmetric inverse of the one or two new coordinates' Schur complement.
template <class T>
struct SmallInverse {
  T value[2][2] = {};
  bool good = false;  // not singular to working precision
};

template <class T, std::size_t kNew>
HWY_INLINE SmallInverse<T> invert_schur(const DescentArguments<T>& p, const ActiveSet<T>& s,
                                        const std::uint32_t* entering) {
  constexpr T kSmallest = sizeof(T) == sizeof(float) ? T(1e-5) : T(1e-10);
  SmallInverse<T> inverse;
  const T first_diagonal = p.diagonal[entering[0]];
  const T first = first_diagonal - dot_of_slots(s, s.column[0], s.product[0]);
  if (!(first > kSmallest * first_diagonal)) return inverse;
  if constexpr (kNew == 1) {
    inverse.value[0][0] = T{1} / first;
  } else {
    const T second_diagonal = p.diagonal[entering[1]];
    const T second = second_diagonal - dot_of_slots(s, s.column[1], s.product[1]);
    const T cross = p.gram[entering[0] * p.gram_stride + entering[1]] - dot_of_slots(s, s.column[0], s.product[1]);
    const T determinant = first * second - cross * cross;
    if (!(determinant > kSmallest * second_diagonal * first)) return inverse;
    inverse.value[0][0] = second / determinant;
    inverse.value[1][1] = first / determinant;
    inverse.value[0][1] = inverse.value[1][0] = -cross / determinant;
  }
  inverse.good = true;
  return inverse;
}

// Opens slot n, zero wherever it is not written, when it begins a new vector.
template <class T>
HWY_INLINE void open_slot(const ActiveSet<T>& s) {
  const Tag<T> tag;
  if (s.n % hn::Lanes(tag) != 0) return;
  for (std::size_t i = 0; i < s.n; ++i) hn::StoreU(hn::Zero(tag), tag, s.inverse + i * s.stride + s.n);
  for (T* vector : {s.u, s.from, s.step, s.sign}) hn::StoreU(hn::Zero(tag), tag, vector + s.n);
}

// Takes one or two coordinates in. False when H on the larger support is singular to working precision.
template <class T, std::size_t kNew>
HWY_INLINE bool append(const DescentArguments<T>& p, ActiveSet<T>& s, const std::uint32_t* entering) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t n = s.n;
  const std::size_t end = whole_vectors<T>(n);
  for (std::size_t c = 0; c < kNew; ++c) {
    const T* row = p.gram + entering[c] * p.gram_stride;
    for (std::size_t i = 0; i < n; ++i) s.column[c][i] = row[p.active.slots[i]];
    for (std::size_t i = n; i < end; ++i) s.column[c][i] = 0;
  }
  multiply_inverse<T, kNew>(s, s.column, s.product);
  const SmallInverse<T> schur = invert_schur<T, kNew>(p, s, entering);
  if (!schur.good) return false;
  for (std::size_t c = 0; c < kNew; ++c)
    for (std::size_t k = 0; k < end; k += lanes) {
      auto sum = hn::Zero(tag);
      for (std::size_t q = 0; q < kNew; ++q)
        sum = hn::MulAdd(hn::Set(tag, schur.value[c][q]), hn::LoadU(tag, s.product[q] + k), sum);
      hn::StoreU(sum, tag, s.scaled[c] + k);
    }
  add_outer<T, kNew>(s, s.product, s.scaled);
  for (std::size_t c = 0; c < kNew; ++c) {
    open_slot(s);
    const std::size_t slot = s.n++;
    T* last = s.inverse + slot * s.stride;
    for (std::size_t i = 0; i < n; ++i) last[i] = s.inverse[i * s.stride + slot] = -s.scaled[c][i];
    for (std::size_t q = 0; q <= c; ++q) last[n + q] = s.inverse[(n + q) * s.stride + slot] = schur.value[c][q];
    for (std::size_t k = slot + 1; k < whole_vectors<T>(s.n); ++k) last[k] = 0;
    const std::size_t j = entering[c];
    p.active.slots[slot] = entering[c];
    s.u[slot] = s.from[slot] = p.u[j];
    // What is idle goes the way it is pulled.
    s.sign[slot] = (p.u[j] != T{0} ? p.u[j] : p.r[j]) > 0 ? T{1} : T{-1};
  }
  return true;
}

// Takes all n_entering in, two at a time; returns how many could not be.
template <class T>
HWY_INLINE std::size_t append_all(const DescentArguments<T>& p, ActiveSet<T>& s, const std::uint32_t* entering,
                                  std::size_t n_entering) {
  std::size_t refused = 0;
  for (std::size_t l = 0; l < n_entering;) {
    const std::size_t room = p.active.limit - s.n;
    if (room == 0) return refused + (n_entering - l);
    if (room > 1 && l + 1 < n_entering && append<T, 2>(p, s, entering + l)) {
      l += 2;
    } else {
      refused += append<T, 1>(p, s, entering + l) ? 0 : 1;
      ++l;
    }
  }
  return refused;
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
