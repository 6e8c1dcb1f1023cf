// SPDX-License-Identifier: BSD-3-Clause
// The optimum of one code by an active set: the support with its signs, and the inverse of H on it, which grows and
// shrinks by rank-one updates. Where atoms resemble each other, sweeps know the support early and then creep; the
// active set jumps. Every round ends at the minimum over its support and lies below the round before.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H
#undef DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H
#else
#define DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "linalg/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

// r -= step * row.
template <class T>
HWY_INLINE void subtract_scaled(T step, const T* HWY_RESTRICT row, T* HWY_RESTRICT r, std::size_t n) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto s = hn::Set(tag, step);
  std::size_t k = 0;
  for (; k + 2 * lanes <= n; k += 2 * lanes) {
    const auto r0 = hn::NegMulAdd(s, hn::LoadU(tag, row + k), hn::LoadU(tag, r + k));
    const auto r1 = hn::NegMulAdd(s, hn::LoadU(tag, row + k + lanes), hn::LoadU(tag, r + k + lanes));
    hn::StoreU(r0, tag, r + k);
    hn::StoreU(r1, tag, r + k + lanes);
  }
  for (; k + lanes <= n; k += lanes)
    hn::StoreU(hn::NegMulAdd(s, hn::LoadU(tag, row + k), hn::LoadU(tag, r + k)), tag, r + k);
  const hn::CappedTag<T, 1> one;
  for (; k < n; ++k)
    hn::StoreU(hn::NegMulAdd(hn::Set(one, step), hn::LoadU(one, row + k), hn::LoadU(one, r + k)), one, r + k);
}

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
  s.stride = p.active_limit + kWidestVector;
  T* vector = p.active;
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
    for (std::size_t i = 0; i < n; ++i) s.column[c][i] = row[p.slots[i]];
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
    p.slots[slot] = entering[c];
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
    const std::size_t room = p.active_limit - s.n;
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

// Takes a slot out whose u has become zero, and turns the step to the minimum over the others.
template <class T>
HWY_INLINE void drop(const DescentArguments<T>& p, ActiveSet<T>& s, std::size_t slot) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t end = whole_vectors<T>(s.n);
  const T* row = s.inverse + slot * s.stride;
  const T inverse_pivot = T{1} / row[slot];
  const auto factor = hn::Set(tag, s.step[slot] * inverse_pivot);
  for (std::size_t k = 0; k < end; k += lanes) {
    const auto value = hn::LoadU(tag, row + k);
    hn::StoreU(value, tag, s.product[0] + k);
    hn::StoreU(hn::Mul(hn::Set(tag, -inverse_pivot), value), tag, s.scaled[0] + k);
    hn::StoreU(hn::NegMulAdd(factor, value, hn::LoadU(tag, s.step + k)), tag, s.step + k);
  }
  add_outer<T, 1>(s, s.product, s.scaled);
  const std::size_t j = p.slots[slot];
  p.u[j] = 0;
  subtract_scaled(-s.from[slot], p.gram + j * p.gram_stride, p.r, p.n);
  // The last slot takes the place of the one that leaves.
  const std::size_t last = --s.n;
  if (slot != last) {
    T* to = s.inverse + slot * s.stride;
    const T* moved = s.inverse + last * s.stride;
    for (std::size_t k = 0; k < last; ++k) to[k] = moved[k];
    for (std::size_t i = 0; i < last; ++i) s.inverse[i * s.stride + slot] = moved[i];
    to[slot] = moved[last];
    for (T* vector : {s.u, s.from, s.step, s.sign}) vector[slot] = vector[last];
    p.slots[slot] = p.slots[last];
  }
  for (std::size_t i = 0; i <= last; ++i) s.inverse[i * s.stride + last] = 0;
  for (T* vector : {s.u, s.from, s.step, s.sign}) vector[last] = 0;
}

// The first slot whose u reaches zero on the way, and the part of the step until there; no slot when that is 1.
template <class T>
HWY_INLINE std::size_t first_to_vanish(const ActiveSet<T>& s, T& part) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const hn::RebindToSigned<Tag<T>> index_tag;
  const std::size_t lanes = hn::Lanes(tag);
  const V zero = hn::Zero(tag);
  V best = hn::Set(tag, T{1});
  auto best_index = hn::Set(index_tag, -1);
  auto index = hn::Iota(index_tag, 0);
  const auto next = hn::Set(index_tag, static_cast<hn::TFromD<decltype(index_tag)>>(lanes));
  for (std::size_t k = 0; k < s.n; k += lanes) {
    const V sign = hn::LoadU(tag, s.sign + k);
    const V approach = hn::Neg(hn::Mul(sign, hn::LoadU(tag, s.step + k)));
    const V distance = hn::Max(hn::Mul(sign, hn::LoadU(tag, s.u + k)), zero);
    const V t = hn::Div(distance, approach);
    const auto nearer = hn::And(hn::Gt(approach, zero), hn::Lt(t, best));
    best = hn::IfThenElse(nearer, t, best);
    best_index = hn::IfThenElse(hn::RebindMask(index_tag, nearer), index, best_index);
    index = hn::Add(index, next);
  }
  HWY_ALIGN T parts[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN hn::TFromD<decltype(index_tag)> indices[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(best, tag, parts);
  hn::Store(best_index, index_tag, indices);
  std::size_t slot = s.n;
  part = 1;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (indices[lane] < 0) continue;
    const auto at = static_cast<std::size_t>(indices[lane]);
    if (parts[lane] < part || (parts[lane] == part && at < slot)) {
      part = parts[lane];
      slot = at;
    }
  }
  return slot;
}

// Writes u back and brings r up to date, four rows of H at a time.
template <class T>
HWY_INLINE void update_residual(const DescentArguments<T>& p, ActiveSet<T>& s) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t i = 0; i < s.n; ++i) {
    p.u[p.slots[i]] = s.u[i];
    s.step[i] = s.u[i] - s.from[i];
    s.from[i] = s.u[i];
  }
  std::size_t i = 0;
  for (; i + 4 <= s.n; i += 4) {
    const T* rows[4];
    hn::Vec<Tag<T>> steps[4];
    for (std::size_t q = 0; q < 4; ++q) {
      rows[q] = p.gram + p.slots[i + q] * p.gram_stride;
      steps[q] = hn::Set(tag, s.step[i + q]);
    }
    std::size_t k = 0;
    for (; k + lanes <= p.n; k += lanes) {
      auto r = hn::LoadU(tag, p.r + k);
      for (std::size_t q = 0; q < 4; ++q) r = hn::NegMulAdd(steps[q], hn::LoadU(tag, rows[q] + k), r);
      hn::StoreU(r, tag, p.r + k);
    }
    const hn::CappedTag<T, 1> one;
    for (; k < p.n; ++k)
      for (std::size_t q = 0; q < 4; ++q)
        hn::StoreU(hn::NegMulAdd(hn::Set(one, s.step[i + q]), hn::LoadU(one, rows[q] + k), hn::LoadU(one, p.r + k)),
                   one, p.r + k);
  }
  for (; i < s.n; ++i) subtract_scaled(s.step[i], p.gram + p.slots[i] * p.gram_stride, p.r, p.n);
}

// How much the objective rose from (u0, r0) to (u, r), and a bound of what rounding can feign.
template <class T>
struct Rise {
  T value = 0;
  T rounding = 0;
};

template <class T>
HWY_INLINE Rise<T> objective_rise(const DescentArguments<T>& p, const T* u0, const T* r0) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto half = hn::Set(tag, T{0.5});
  auto smooth = hn::Zero(tag), before = hn::Zero(tag), after = hn::Zero(tag);
  std::size_t j = 0;
  for (; j + lanes <= p.n; j += lanes) {
    const auto u = hn::LoadU(tag, p.u + j);
    const auto old = hn::LoadU(tag, u0 + j);
    const auto r = hn::Mul(half, hn::Add(hn::LoadU(tag, p.r + j), hn::LoadU(tag, r0 + j)));
    smooth = hn::MulAdd(hn::Sub(u, old), r, smooth);
    before = hn::Add(before, hn::Abs(old));
    after = hn::Add(after, hn::Abs(u));
  }
  T fall = hn::GetLane(hn::SumOfLanes(tag, smooth));
  T old_norm = hn::GetLane(hn::SumOfLanes(tag, before));
  T norm = hn::GetLane(hn::SumOfLanes(tag, after));
  for (; j < p.n; ++j) {
    fall += (p.u[j] - u0[j]) * (p.r[j] + r0[j]) / 2;
    old_norm += std::abs(u0[j]);
    norm += std::abs(p.u[j]);
  }
  constexpr T kRounding = sizeof(T) == sizeof(float) ? T(2e-6) : T(4e-15);
  return {p.lambda * (norm - old_norm) - fall, kRounding * p.lambda * (norm + old_norm)};
}

// To the minimum over the support; what reaches zero on the way leaves it.
template <class T>
HWY_INLINE void minimise_over_support(const DescentArguments<T>& p, ActiveSet<T>& s) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t i = 0; i < s.n; ++i) s.column[0][i] = p.r[p.slots[i]] - p.lambda * s.sign[i];
  multiply_inverse<T, 1>(s, s.column, &s.step);
  while (s.n > 0) {
    T part = 1;
    const std::size_t slot = first_to_vanish(s, part);
    const auto moved = hn::Set(tag, part);
    const auto left = hn::Set(tag, T{1} - part);
    for (std::size_t k = 0; k < s.n; k += lanes) {
      const auto step = hn::LoadU(tag, s.step + k);
      hn::StoreU(hn::MulAdd(moved, step, hn::LoadU(tag, s.u + k)), tag, s.u + k);
      hn::StoreU(hn::Mul(left, step), tag, s.step + k);
    }
    if (slot == s.n) break;
    drop(p, s, slot);
  }
  update_residual(p, s);
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
