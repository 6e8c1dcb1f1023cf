// SPDX-License-Identifier: BSD-3-Clause
// Coordinate descent for one code: greedy from zero, then cyclic sweeps, then the active set where sweeps are slow.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_DESCENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_DESCENT_INL_H
#undef DUALDICT_LINALG_KERNELS_DESCENT_INL_H
#else
#define DUALDICT_LINALG_KERNELS_DESCENT_INL_H
#endif

#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "linalg/kernels/active_set-inl.h"
#include "linalg/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

// Appends j + lane to p.list for every lane that the mask has, and returns the new length.
template <class T>
HWY_INLINE std::size_t list_lanes(const DescentArguments<T>& p, hn::Mask<Tag<T>> mask, std::size_t j,
                                  std::size_t n_list) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Tag<T>(), mask, bytes);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  for (; bits != 0; bits &= bits - 1)
    p.list[n_list++] = static_cast<std::uint32_t>(j + static_cast<std::size_t>(std::countr_zero(bits)));
  return n_list;
}

// Writes the coordinates that can move (u_j != 0 or |r_j| > lambda) to p.list and returns how many; kkt gets the
// largest residual of the optimality conditions.
template <class T>
HWY_INLINE std::size_t list_movable(const DescentArguments<T>& p, T& kkt) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const std::size_t lanes = hn::Lanes(tag);
  const V lambda = hn::Set(tag, p.lambda);
  const V zero = hn::Zero(tag);
  V worst = zero;
  std::size_t n_list = 0;
  for (std::size_t j = 0; j < p.n; j += lanes) {
    const V u = hn::LoadU(tag, p.u + j);
    const V r = hn::LoadU(tag, p.r + j);
    const auto live = hn::Ne(hn::LoadU(tag, p.inverse_diagonal + j), zero);
    const V pull = p.positive ? r : hn::Abs(r);
    const auto used = hn::Ne(u, zero);
    const auto movable = hn::And(live, hn::Or(used, hn::Gt(pull, lambda)));
    const V used_residual = hn::Abs(hn::Sub(r, hn::CopySign(lambda, u)));
    const V idle_residual = hn::Max(hn::Sub(pull, lambda), zero);
    const V residual = hn::IfThenElseZero(live, hn::IfThenElse(used, used_residual, idle_residual));
    worst = hn::Max(worst, residual);
    n_list = list_lanes(p, movable, j, n_list);
  }
  kkt = hn::GetLane(hn::MaxOfLanes(tag, worst));
  return n_list;
}

// The largest move that one coordinate wants, |H_jj step_j|, and whose it is.
template <class T>
struct LargestMove {
  T size = 0;
  std::size_t index = 0;
};

// H_jj times the minimiser of a coordinate, the others given.
template <class T>
HWY_INLINE T scaled_minimiser(const DescentArguments<T>& p, std::size_t j) {
  const T z = p.r[j] + p.diagonal[j] * p.u[j];
  if (z > p.lambda) return z - p.lambda;
  if (!p.positive && z < -p.lambda) return z + p.lambda;
  return 0;
}

// r -= step * row, and the largest move under the new r, in one sweep over memory.
template <class T>
HWY_INLINE LargestMove<T> subtract_and_find(const DescentArguments<T>& p, T step, const T* HWY_RESTRICT row) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const hn::RebindToSigned<Tag<T>> index_tag;
  const std::size_t lanes = hn::Lanes(tag);
  const V s = hn::Set(tag, step);
  const V lambda = hn::Set(tag, p.lambda);
  const V zero = hn::Zero(tag);
  V best = zero;
  auto best_index = hn::Zero(index_tag);
  auto index = hn::Iota(index_tag, 0);
  const auto stride = hn::Set(index_tag, static_cast<hn::TFromD<decltype(index_tag)>>(lanes));
  for (std::size_t k = 0; k < p.n; k += lanes) {
    const V r = hn::NegMulAdd(s, hn::LoadU(tag, row + k), hn::LoadU(tag, p.r + k));
    hn::StoreU(r, tag, p.r + k);
    const V hu = hn::Mul(hn::LoadU(tag, p.diagonal + k), hn::LoadU(tag, p.u + k));
    const V z = hn::Add(r, hu);
    const V size = p.positive ? z : hn::Abs(z);
    const V target = hn::CopySign(hn::Max(hn::Sub(size, lambda), zero), z);
    const auto live = hn::Ne(hn::LoadU(tag, p.inverse_diagonal + k), zero);
    const V move = hn::IfThenElseZero(live, hn::Abs(hn::Sub(target, hu)));
    const auto larger = hn::Gt(move, best);
    best = hn::IfThenElse(larger, move, best);
    best_index = hn::IfThenElse(hn::RebindMask(index_tag, larger), index, best_index);
    index = hn::Add(index, stride);
  }
  HWY_ALIGN T sizes[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN hn::TFromD<decltype(index_tag)> indices[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(best, tag, sizes);
  hn::Store(best_index, index_tag, indices);
  LargestMove<T> largest;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto at = static_cast<std::size_t>(indices[lane]);
    if (sizes[lane] > largest.size || (sizes[lane] == largest.size && at < largest.index)) largest = {sizes[lane], at};
  }
  return largest;
}

// From u = 0: the coordinate that moves farthest goes first, until no move is larger than the threshold. It finds
// a sparse support with far fewer updates than sweeping.
template <class T>
HWY_INLINE void descend_greedily(const DescentArguments<T>& p) {
  const std::size_t max_steps = 2 * p.n;
  LargestMove<T> next = subtract_and_find(p, T{0}, p.gram);
  for (std::size_t count = 0; count < max_steps && next.size > p.lambda; ++count) {
    const std::size_t j = next.index;
    // Not a step added to u: what goes back to zero would miss it by rounding, and its sign might turn.
    const T old = p.u[j];
    p.u[j] = scaled_minimiser(p, j) * p.inverse_diagonal[j];
    next = subtract_and_find(p, p.u[j] - old, p.gram + j * p.gram_stride);
  }
}

// One cyclic sweep over the listed coordinates. The next coordinate's r is worked out before the whole vector is
// updated, so that the chain from one coordinate to the next is one multiply-add long.
template <class T>
HWY_INLINE void sweep(const DescentArguments<T>& p, std::size_t n_list) {
  const hn::CappedTag<T, 1> one;
  T r = p.r[p.list[0]];
  for (std::size_t l = 0; l < n_list; ++l) {
    const std::size_t j = p.list[l];
    const std::size_t next = p.list[l + 1 < n_list ? l + 1 : l];
    const T old = p.u[j];
    const T z = r + p.diagonal[j] * old;
    T target = 0;
    if (z > p.lambda) target = (z - p.lambda) * p.inverse_diagonal[j];
    if (!p.positive && z < -p.lambda) target = (z + p.lambda) * p.inverse_diagonal[j];
    if (p.relaxation != T{1}) target = relaxed(old, target, p.relaxation);
    const T step = target - old;
    if (step == T{0}) {
      r = p.r[next];
      continue;
    }
    const T* row = p.gram + j * p.gram_stride;
    r = hn::GetLane(hn::NegMulAdd(hn::Set(one, step), hn::LoadU(one, row + next), hn::LoadU(one, p.r + next)));
    p.u[j] = target;
    subtract_scaled(step, row, p.r, p.n);
  }
}

// How strongly the idle coordinates from j on are pulled in, |r_j| - lambda; no pull on those in use.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> idle_pull(const DescentArguments<T>& p, std::size_t j) {
  const Tag<T> tag;
  const auto zero = hn::Zero(tag);
  const auto r = hn::LoadU(tag, p.r + j);
  const auto pull = hn::Sub(p.positive ? r : hn::Abs(r), hn::Set(tag, p.lambda));
  const auto live = hn::Ne(hn::LoadU(tag, p.inverse_diagonal + j), zero);
  return hn::IfThenElseZero(hn::And(live, hn::Eq(hn::LoadU(tag, p.u + j), zero)), pull);
}

template <class T>
HWY_INLINE T strongest_idle_pull(const DescentArguments<T>& p) {
  const Tag<T> tag;
  auto largest = hn::Zero(tag);
  for (std::size_t j = 0; j < p.n; j += hn::Lanes(tag)) largest = hn::Max(largest, idle_pull(p, j));
  return hn::GetLane(hn::MaxOfLanes(tag, largest));
}

// Writes the idle coordinates with at least this pull (more than 0) to p.list and returns how many.
template <class T>
HWY_INLINE std::size_t list_entering(const DescentArguments<T>& p, T least) {
  const Tag<T> tag;
  const auto bound = hn::Set(tag, least);
  std::size_t n_list = 0;
  for (std::size_t j = 0; j < p.n; j += hn::Lanes(tag))
    n_list = list_lanes(p, hn::Ge(idle_pull(p, j), bound), j, n_list);
  return n_list;
}

template <class T>
HWY_INLINE std::size_t list_used(const DescentArguments<T>& p) {
  const Tag<T> tag;
  std::size_t n_list = 0;
  for (std::size_t j = 0; j < p.n; j += hn::Lanes(tag))
    n_list = list_lanes(p, hn::Ne(hn::LoadU(tag, p.u + j), hn::Zero(tag)), j, n_list);
  return n_list;
}

// True when it reached the tolerance. What it leaves otherwise is a better start for the sweeps.
template <class T>
HWY_INLINE bool descend_by_active_set(const DescentArguments<T>& p) {
  constexpr std::size_t kRounds = 60;
  constexpr std::size_t kRefinements = 3;
  constexpr T kPart = T{0.5};  // of the strongest pull: what is pulled as much enters in the same round
  ActiveSet<T> s = empty_active_set(p);
  if (append_all(p, s, p.list, list_used(p)) > 0) return false;
  T* const old_u = s.inverse + p.active_limit * s.stride;
  T* const old_r = old_u + p.n;
  std::size_t refinements = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::memcpy(old_u, p.u, p.n * sizeof(T));
    std::memcpy(old_r, p.r, p.n * sizeof(T));
    minimise_over_support(p, s);
    if (const Rise<T> rise = objective_rise(p, old_u, old_r); !(rise.value <= rise.rounding)) {
      // The inverse has gone bad: H is nearly singular on this support.
      std::memcpy(p.u, old_u, p.n * sizeof(T));
      std::memcpy(p.r, old_r, p.n * sizeof(T));
      return false;
    }
    const T strongest = strongest_idle_pull(p);
    if (strongest <= p.tolerance) {
      T kkt = 0;
      for (std::size_t i = 0; i < s.n; ++i) kkt = HWY_MAX(kkt, std::abs(p.r[p.slots[i]] - p.lambda * s.sign[i]));
      if (kkt <= p.tolerance) return true;
      if (++refinements > kRefinements) return false;
      continue;
    }
    const std::size_t n_list = list_entering(p, kPart * strongest);
    if (append_all(p, s, p.list, n_list) == n_list) return false;
  }
  return false;
}

// A sweep over s coordinates takes s n multiply-adds; making the active set of as many takes about two thirds of s^3.
template <class T>
HWY_INLINE std::size_t sweeps_worth_an_active_set(const DescentArguments<T>& p, std::size_t n_list) {
  return 2 * n_list * n_list / (3 * p.n);
}

template <class T>
DescentReport<T> descend(const DescentArguments<T>& p) {
  DescentReport<T> report;
  if (p.from_zero && p.lambda > T{0}) descend_greedily(p);
  std::size_t active_at = 0;  // the number of sweeps after which the active set is tried again
  for (;; ++report.sweeps) {
    std::size_t n_list = list_movable(p, report.kkt);
    if (report.kkt <= p.tolerance || report.sweeps == p.max_sweeps) return report;
    if (report.sweeps == 0 && p.sweeps_first && !p.from_zero) active_at = sweeps_worth_an_active_set(p, n_list);
    if (p.active_limit > 0 && report.sweeps == active_at) {
      descend_by_active_set(p);
      active_at = 2 * active_at + 2;
      n_list = list_movable(p, report.kkt);
      if (report.kkt <= p.tolerance) return report;
    }
    if (n_list > 0) sweep(p, n_list);
  }
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
