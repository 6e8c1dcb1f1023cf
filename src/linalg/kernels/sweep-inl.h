// SPDX-License-Identifier: BSD-3-Clause
// One cyclic sweep of coordinate descent over the coordinates that can move.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_SWEEP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_SWEEP_INL_H
#undef DUALDICT_LINALG_KERNELS_SWEEP_INL_H
#else
#define DUALDICT_LINALG_KERNELS_SWEEP_INL_H
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

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
  for (; k < n; k += lanes) hn::StoreU(hn::NegMulAdd(s, hn::LoadU(tag, row + k), hn::LoadU(tag, r + k)), tag, r + k);
}

// Appends j + lane to the list for every lane that the mask has, and returns the new length. A whole vector is written:
// the list is never longer than j, so that it ends where the coordinates do.
template <class T>
HWY_INLINE std::size_t list_lanes(hn::Mask<Tag<T>> mask, std::size_t j, std::uint32_t* list, std::size_t n_list) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    const Tag<std::uint32_t> index_tag;
    const auto index = hn::Add(hn::Iota(index_tag, 0), hn::Set(index_tag, static_cast<std::uint32_t>(j)));
    hn::StoreU(hn::Compress(index, hn::RebindMask(index_tag, mask)), index_tag, list + n_list);
    return n_list + hn::CountTrue(Tag<T>(), mask);
  }
#endif
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Tag<T>(), mask, bytes);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  for (; bits != 0; bits &= bits - 1)
    list[n_list++] = static_cast<std::uint32_t>(j + static_cast<std::size_t>(std::countr_zero(bits)));
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
    n_list = list_lanes<T>(movable, j, p.list, n_list);
  }
  kkt = hn::GetLane(hn::MaxOfLanes(tag, worst));
  return n_list;
}

// A number in a vector register: what follows from it is chosen without a branch, which would be guessed wrong half
// of the time, and a wrong guess takes as long as the whole move.
template <class T>
using One = hn::Vec<hn::CappedTag<T, 1>>;

// The minimiser of one coordinate, the others given: S_lambda(r + h u) / h.
template <class T>
class Minimiser {
 public:
  explicit HWY_INLINE Minimiser(const DescentArguments<T>& p)
      : diagonal_(p.diagonal),
        inverse_(p.inverse_diagonal),
        above_(hn::Set(kOne, p.lambda)),
        // No coordinate is pulled below zero that must not be.
        below_(hn::Set(kOne, p.positive ? std::numeric_limits<T>::infinity() : p.lambda)),
        relaxation_(hn::Set(kOne, p.relaxation)),
        kept_(hn::Set(kOne, T{1} - p.relaxation)) {}

  HWY_INLINE One<T> of(One<T> r, One<T> u, std::size_t j) const {
    const One<T> inverse = hn::LoadU(kOne, inverse_ + j);
    const One<T> hu = hn::Mul(hn::LoadU(kOne, diagonal_ + j), u);
    // All but these two products is known before r is.
    const One<T> up = hn::MulAdd(r, inverse, hn::Mul(hn::Sub(hu, above_), inverse));
    const One<T> down = hn::MulAdd(r, inverse, hn::Mul(hn::Add(hu, below_), inverse));
    return hn::Max(up, hn::Min(down, hn::Zero(kOne)));
  }

  // Past the minimiser, as far as `relaxed` says.
  HWY_INLINE One<T> past(One<T> r, One<T> u, std::size_t j) const {
    const One<T> zero = hn::Zero(kOne);
    const One<T> inverse = hn::Mul(relaxation_, hn::LoadU(kOne, inverse_ + j));
    const One<T> hu = hn::Mul(hn::LoadU(kOne, diagonal_ + j), u);
    const One<T> known = hn::MulAdd(hn::Sub(hu, hn::CopySign(above_, u)), inverse, hn::Mul(kept_, u));
    const One<T> far = hn::MulAdd(r, inverse, known);
    const One<T> least = hn::IfThenElse(hn::Eq(u, zero), hn::Set(kOne, std::numeric_limits<T>::infinity()), zero);
    // The minimiser lies between u and far: if both are on one side of zero, so is it.
    const auto same_side = hn::Gt(hn::Xor(far, hn::And(u, hn::SignBit(kOne))), least);
    return hn::IfThenElse(same_side, far, of(r, u, j));
  }

 private:
  static constexpr hn::CappedTag<T, 1> kOne{};
  const T* diagonal_;
  const T* inverse_;
  One<T> above_, below_, relaxation_, kept_;
};

// The next coordinate's r is worked out before the whole vector is updated, so that the chain from one coordinate to
// the next is short.
template <class T, bool kRelaxed>
HWY_INLINE void sweep(const DescentArguments<T>& p, std::size_t n_list) {
  const hn::CappedTag<T, 1> one;
  const Minimiser<T> minimiser(p);
  const std::uint32_t* const list = p.list;
  T* const u = p.u;
  T* const r = p.r;
  One<T> pull = hn::LoadU(one, r + list[0]);
  for (std::size_t l = 0; l < n_list; ++l) {
    const std::size_t j = list[l];
    const std::size_t next = list[l + 1 < n_list ? l + 1 : l];
    const One<T> old = hn::LoadU(one, u + j);
    const One<T> now = kRelaxed ? minimiser.past(pull, old, j) : minimiser.of(pull, old, j);
    const One<T> step = hn::Sub(now, old);
    if (hn::GetLane(step) == T{0}) {
      pull = hn::LoadU(one, r + next);
      continue;
    }
    const T* row = p.gram + j * p.gram_stride;
    pull = hn::NegMulAdd(step, hn::LoadU(one, row + next), hn::LoadU(one, r + next));
    hn::StoreU(now, one, u + j);
    subtract_scaled(hn::GetLane(step), row, r, p.n);
  }
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
