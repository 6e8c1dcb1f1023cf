// SPDX-License-Identifier: BSD-3-Clause
// Greedy codes, hard thresholds, and the inner loops of their learning.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_L0_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_L0_INL_H
#undef DUALDICT_LINALG_KERNELS_L0_INL_H
#else
#define DUALDICT_LINALG_KERNELS_L0_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "linalg/kernels/l0_kernels.h"
#include "linalg/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

template <class T>
struct GreedyBest {
  T gain = 0;
  std::size_t index = 0;
};

// c -= step * row, and the largest gain under the new c, in one sweep over memory; see greedy_gain.
template <class T, bool kPositive>
HWY_INLINE GreedyBest<T> subtract_and_find_gain(const GreedyArguments<T>& p, T step, const T* HWY_RESTRICT row,
                                                T entry) {
  const Tag<T> tag;
  const hn::RebindToSigned<Tag<T>> index_tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto s = hn::Set(tag, step);
  const auto price = hn::Set(tag, p.price);
  const auto idle = hn::Set(tag, -entry);
  const auto zero = hn::Zero(tag);
  auto best = zero;
  auto best_start = hn::Zero(index_tag);  // of the vector that each lane's best is in
  auto start = best_start;
  const auto stride = hn::Set(index_tag, static_cast<hn::TFromD<decltype(index_tag)>>(lanes));
  for (std::size_t k = 0; k < p.n; k += lanes) {
    const auto c = hn::NegMulAdd(s, hn::LoadU(tag, row + k), hn::LoadU(tag, p.c + k));
    hn::StoreU(c, tag, p.c + k);
    const auto u = hn::LoadU(tag, p.u + k);
    const auto w = hn::Add(c, u);
    const auto used = hn::Ne(u, zero);
    const auto rest = hn::NegMulAdd(w, w, price);
    auto extra = hn::IfThenElse(used, hn::Max(rest, zero), idle);
    if constexpr (kPositive) {
      const auto below = hn::NegMulAdd(w, w, hn::IfThenElse(used, price, idle));
      extra = hn::IfThenElse(hn::Lt(w, zero), below, extra);
    }
    const auto gain = hn::MulAdd(c, c, extra);
    const auto larger = hn::Gt(gain, best);
    best = hn::IfThenElse(larger, gain, best);
    best_start = hn::IfThenElse(hn::RebindMask(index_tag, larger), start, best_start);
    start = hn::Add(start, stride);
  }
  // Of equal gains, as of two atoms that are the same, the one in the first lane.
  const auto largest = hn::MaxOfLanes(tag, best);
  const auto lane = static_cast<std::size_t>(hn::FindKnownFirstTrue(tag, hn::Eq(best, largest)));
  HWY_ALIGN hn::TFromD<decltype(index_tag)> starts[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(best_start, index_tag, starts);
  return {hn::GetLane(largest), static_cast<std::size_t>(starts[lane]) + lane};
}

template <class T, bool kPositive>
HWY_INLINE GreedyReport move_greedily_signed(const GreedyArguments<T>& p) {
  GreedyReport report;
  const auto entry = [&] { return report.nonzeros < p.max_nonzeros ? p.price : std::numeric_limits<T>::infinity(); };
  for (std::size_t k = 0; k < p.n; ++k) report.nonzeros += p.u[k] != T{0} ? 1 : 0;
  GreedyBest<T> next = subtract_and_find_gain<T, kPositive>(p, T{0}, p.gram, entry());
  while (report.moves < p.max_moves && next.gain > p.least_gain) {
    const std::size_t j = next.index;
    const T old = p.u[j];
    const T now = greedy_target(p.c[j] + old, p.price, kPositive);
    if (now == old) break;  // what is left is rounding
    p.u[j] = now;
    report.nonzeros += now != T{0} ? 1 : 0;
    report.nonzeros -= old != T{0} ? 1 : 0;
    report.gain += static_cast<double>(next.gain);
    ++report.moves;
    next = subtract_and_find_gain<T, kPositive>(p, now - old, p.gram + j * p.gram_stride, entry());
  }
  return report;
}

template <class T>
GreedyReport move_greedily(const GreedyArguments<T>& p) {
  return p.positive ? move_greedily_signed<T, true>(p) : move_greedily_signed<T, false>(p);
}

// v <- v + bias where that is above the threshold (its magnitude, unless `positive`), 0 elsewhere.
template <class T>
void keep_large(const T* bias, std::size_t n, T threshold, bool positive, T* row) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto t = hn::Set(tag, threshold);
  const auto kept = [&](hn::Vec<Tag<T>> v) { return hn::IfThenElseZero(hn::Gt(positive ? v : hn::Abs(v), t), v); };
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes)
    hn::StoreU(kept(hn::Add(hn::LoadU(tag, row + k), hn::LoadU(tag, bias + k))), tag, row + k);
  if (k < n)
    store_first<T>(kept(hn::Add(load_first<T>(row + k, n - k), load_first<T>(bias + k, n - k))), row + k, n - k);
}

// kRows rows together: their sums do not wait for each other.
template <class T, std::size_t kRows>
HWY_INLINE void dot_some_rows(const DotsArguments<T>& p, std::size_t first) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  hn::Vec<Tag<T>> sums[kRows];
  const T* rows[kRows];
  for (std::size_t e = 0; e < kRows; ++e) {
    sums[e] = hn::Zero(tag);
    rows[e] = p.matrix + p.rows[first + e] * p.stride;
  }
  std::size_t k = 0;
  for (; k + lanes <= p.n; k += lanes) {
    const auto x = hn::LoadU(tag, p.x + k);
    for (std::size_t e = 0; e < kRows; ++e) sums[e] = hn::MulAdd(hn::LoadU(tag, rows[e] + k), x, sums[e]);
  }
  if (k < p.n) {
    const auto x = load_first<T>(p.x + k, p.n - k);
    for (std::size_t e = 0; e < kRows; ++e) sums[e] = hn::MulAdd(load_first<T>(rows[e] + k, p.n - k), x, sums[e]);
  }
  for (std::size_t e = 0; e < kRows; ++e) p.out[first + e] = hn::GetLane(hn::SumOfLanes(tag, sums[e]));
}

template <class T>
void dot_rows(const DotsArguments<T>& p) {
  constexpr std::size_t kTogether = 8;
  std::size_t first = 0;
  for (; first + kTogether <= p.count; first += kTogether) dot_some_rows<T, kTogether>(p, first);
  for (; first < p.count; ++first) dot_some_rows<T, 1>(p, first);
}

template <class T>
void adam_step(const AdamArguments<T>& p) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto f = hn::Set(tag, p.first_fading), f_rest = hn::Set(tag, T{1} - p.first_fading);
  const auto s = hn::Set(tag, p.second_fading), s_rest = hn::Set(tag, T{1} - p.second_fading);
  const auto rate = hn::Set(tag, p.rate), floor = hn::Set(tag, p.floor);
  for (std::size_t k = 0; k < p.n; k += lanes) {
    const std::size_t count = std::min(lanes, p.n - k);
    const auto g = load_first<T>(p.direction + k, count);
    const auto first = hn::MulAdd(f, load_first<T>(p.first + k, count), hn::Mul(f_rest, g));
    const auto second = hn::MulAdd(s, load_first<T>(p.second + k, count), hn::Mul(s_rest, hn::Mul(g, g)));
    const auto step = hn::Div(hn::Mul(rate, first), hn::Add(hn::Sqrt(second), floor));
    store_first<T>(first, p.first + k, count);
    store_first<T>(second, p.second + k, count);
    store_first<T>(hn::Add(load_first<T>(p.w + k, count), step), p.w + k, count);
  }
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
