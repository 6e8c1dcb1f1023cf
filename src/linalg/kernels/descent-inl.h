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

#include <cmath>
#include <cstddef>
#include <cstring>

#include "linalg/kernels/active_set-inl.h"
#include "linalg/kernels/greedy-inl.h"
#include "linalg/kernels/kernels.h"
#include "linalg/kernels/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

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
    n_list = list_lanes<T>(hn::Ge(idle_pull(p, j), bound), j, p.list, n_list);
  return n_list;
}

template <class T>
HWY_INLINE std::size_t list_used(const DescentArguments<T>& p) {
  const Tag<T> tag;
  std::size_t n_list = 0;
  for (std::size_t j = 0; j < p.n; j += hn::Lanes(tag))
    n_list = list_lanes<T>(hn::Ne(hn::LoadU(tag, p.u + j), hn::Zero(tag)), j, p.list, n_list);
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
  T* const old_u = s.inverse + p.active.limit * s.stride;
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
      for (std::size_t i = 0; i < s.n; ++i) kkt = HWY_MAX(kkt, std::abs(p.r[p.active.slots[i]] - p.lambda * s.sign[i]));
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
    if (report.sweeps == 0 && p.active.sweeps_first && !p.from_zero) active_at = sweeps_worth_an_active_set(p, n_list);
    if (p.active.limit > 0 && report.sweeps == active_at) {
      descend_by_active_set(p);
      active_at = 2 * active_at + 2;
      n_list = list_movable(p, report.kkt);
      if (report.kkt <= p.tolerance) return report;
    }
    if (n_list == 0) continue;
    if (p.relaxation == T{1})
      sweep<T, false>(p, n_list);
    else
      sweep<T, true>(p, n_list);
  }
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
