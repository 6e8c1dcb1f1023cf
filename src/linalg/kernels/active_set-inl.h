// SPDX-License-Identifier: BSD-3-Clause
// The optimum of one code by an active set: the support with its signs, and the inverse of H on it. Where atoms
// resemble each other, sweeps know the support early and then creep; the active set jumps. Every round ends at the
// minimum over its support and lies below the round before. Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H
#undef DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H
#else
#define DUALDICT_LINALG_KERNELS_ACTIVE_SET_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "linalg/kernels/add_rows-inl.h"
#include "linalg/kernels/kernels.h"
#include "linalg/kernels/support_inverse-inl.h"
#include "linalg/kernels/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

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
  const std::size_t j = p.active.slots[slot];
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
    p.active.slots[slot] = p.active.slots[last];
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

// Writes u back and brings r up to date.
template <class T>
HWY_INLINE void update_residual(const DescentArguments<T>& p, ActiveSet<T>& s) {
  for (std::size_t i = 0; i < s.n; ++i) {
    p.u[p.active.slots[i]] = s.u[i];
    s.step[i] = s.u[i] - s.from[i];
    s.from[i] = s.u[i];
  }
  add_rows<T>({s.step, p.active.slots, s.n, T{-1}, p.gram, p.gram_stride, p.r, p.n});
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
  for (std::size_t j = 0; j < p.n; j += lanes) {
    const auto u = hn::LoadU(tag, p.u + j);
    const auto old = hn::LoadU(tag, u0 + j);
    const auto r = hn::Mul(half, hn::Add(hn::LoadU(tag, p.r + j), hn::LoadU(tag, r0 + j)));
    smooth = hn::MulAdd(hn::Sub(u, old), r, smooth);
    before = hn::Add(before, hn::Abs(old));
    after = hn::Add(after, hn::Abs(u));
  }
  const T fall = hn::GetLane(hn::SumOfLanes(tag, smooth));
  const T old_norm = hn::GetLane(hn::SumOfLanes(tag, before));
  const T norm = hn::GetLane(hn::SumOfLanes(tag, after));
  constexpr T kRounding = sizeof(T) == sizeof(float) ? T(2e-6) : T(4e-15);
  return {p.lambda * (norm - old_norm) - fall, kRounding * p.lambda * (norm + old_norm)};
}

// To the minimum over the support; what reaches zero on the way leaves it.
template <class T>
HWY_INLINE void minimise_over_support(const DescentArguments<T>& p, ActiveSet<T>& s) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto zero = hn::Zero(tag);
  for (std::size_t i = 0; i < s.n; ++i) s.column[0][i] = p.r[p.active.slots[i]] - p.lambda * s.sign[i];
  multiply_inverse<T, 1>(s, s.column, &s.step);
  while (s.n > 0) {
    T part = 1;
    const std::size_t slot = first_to_vanish(s, part);
    const auto moved = hn::Set(tag, part);
    const auto left = hn::Set(tag, T{1} - part);
    for (std::size_t k = 0; k < s.n; k += lanes) {
      const auto step = hn::LoadU(tag, s.step + k);
      // What rounding carries past zero stops there: its sign would otherwise turn.
      const auto u = hn::MulAdd(moved, step, hn::LoadU(tag, s.u + k));
      hn::StoreU(hn::IfThenElseZero(hn::Gt(hn::Mul(hn::LoadU(tag, s.sign + k), u), zero), u), tag, s.u + k);
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
