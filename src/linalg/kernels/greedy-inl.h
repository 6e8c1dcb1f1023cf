// SPDX-License-Identifier: BSD-3-Clause
// Greedy coordinate descent from zero: it finds a sparse support with far fewer updates than sweeping.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_GREEDY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_GREEDY_INL_H
#undef DUALDICT_LINALG_KERNELS_GREEDY_INL_H
#else
#define DUALDICT_LINALG_KERNELS_GREEDY_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <limits>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

// A coordinate wants to move when its r is outside of [low, high]: lambda and -lambda bound what an idle one bears, a
// used one bears lambda with its sign alone, one that never moves bears everything.
template <class T>
struct Bounds {
  T* low;
  T* high;
};

// Those of an idle coordinate, of n that are idle or never move.
template <class T>
HWY_INLINE Bounds<T> idle_bounds(const DescentArguments<T>& p) {
  const Tag<T> tag;
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  const auto low = p.positive ? hn::Neg(infinity) : hn::Set(tag, -p.lambda);
  const auto high = hn::Set(tag, p.lambda);
  const Bounds<T> bounds{p.active.numbers, p.active.numbers + p.n};
  for (std::size_t k = 0; k < p.n; k += hn::Lanes(tag)) {
    const auto live = hn::Ne(hn::LoadU(tag, p.inverse_diagonal + k), hn::Zero(tag));
    hn::StoreU(hn::IfThenElse(live, low, hn::Neg(infinity)), tag, bounds.low + k);
    hn::StoreU(hn::IfThenElse(live, high, infinity), tag, bounds.high + k);
  }
  return bounds;
}

// How far r is outside of its bounds where it is farthest, and where that is.
template <class T>
struct LargestMove {
  T size = 0;
  std::size_t index = 0;
};

// r -= step * row, and the largest move under the new r, in one sweep over memory.
template <class T>
HWY_INLINE LargestMove<T> subtract_and_find(T step, const T* HWY_RESTRICT row, const Bounds<T>& bounds,
                                            T* HWY_RESTRICT r, std::size_t n) {
  const Tag<T> tag;
  const hn::RebindToSigned<Tag<T>> index_tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto s = hn::Set(tag, step);
  auto best = hn::Zero(tag);
  auto best_start = hn::Zero(index_tag);  // of the vector that each lane's best is in
  auto start = best_start;
  const auto stride = hn::Set(index_tag, static_cast<hn::TFromD<decltype(index_tag)>>(lanes));
  for (std::size_t k = 0; k < n; k += lanes) {
    const auto now = hn::NegMulAdd(s, hn::LoadU(tag, row + k), hn::LoadU(tag, r + k));
    hn::StoreU(now, tag, r + k);
    const auto above = hn::Sub(now, hn::LoadU(tag, bounds.high + k));
    const auto below = hn::Sub(hn::LoadU(tag, bounds.low + k), now);
    const auto move = hn::Max(above, below);
    const auto larger = hn::Gt(move, best);
    best = hn::Max(move, best);
    best_start = hn::IfThenElse(hn::RebindMask(index_tag, larger), start, best_start);
    start = hn::Add(start, stride);
  }
  // Of equal moves, as of two atoms that are the same, the one in the first lane.
  const auto size = hn::MaxOfLanes(tag, best);
  const auto lane = static_cast<std::size_t>(hn::FindKnownFirstTrue(tag, hn::Eq(best, size)));
  HWY_ALIGN hn::TFromD<decltype(index_tag)> starts[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(best_start, index_tag, starts);
  return {hn::GetLane(size), static_cast<std::size_t>(starts[lane]) + lane};
}

// The coordinate that is farthest out of its bounds goes first, until none is by more than the threshold.
template <class T>
HWY_INLINE void descend_greedily(const DescentArguments<T>& p) {
  const hn::CappedTag<T, 1> one;
  const Bounds<T> bounds = idle_bounds(p);
  const T idle_low = p.positive ? -std::numeric_limits<T>::infinity() : -p.lambda;
  const Minimiser<T> minimiser(p);
  const std::size_t max_steps = 2 * p.n;
  LargestMove<T> next = subtract_and_find(T{0}, p.gram, bounds, p.r, p.n);
  for (std::size_t count = 0; count < max_steps && next.size > p.lambda; ++count) {
    const std::size_t j = next.index;
    const T old = p.u[j];
    // Not a step added to u: what goes back to zero would miss it by rounding, and its sign might turn.
    const T now = hn::GetLane(minimiser.of(hn::LoadU(one, p.r + j), hn::Set(one, old), j));
    if (now == old) return;  // what is left is rounding
    p.u[j] = now;
    bounds.low[j] = now > T{0} ? p.lambda : (now < T{0} ? -p.lambda : idle_low);
    bounds.high[j] = now < T{0} ? -p.lambda : p.lambda;
    next = subtract_and_find(now - old, p.gram + j * p.gram_stride, bounds, p.r, p.n);
  }
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
