// SPDX-License-Identifier: BSD-3-Clause
// One source, compiled once per instruction set by Highway; select.cc picks a table.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/kernels/simd.cc"
#include <hwy/foreach_target.h>  // includes this file again for every target
// foreach_target first
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

// Two vectors wide: with six rows, twelve sums in flight hide the latency of the multiply-add.
template <class T>
HWY_INLINE std::size_t panel_width() {
  return 2 * hn::Lanes(Tag<T>());
}

template <class T, std::size_t kRows, bool kSubtract>
HWY_INLINE void tile_rows(const TileArguments<T>& t) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t panel = 2 * lanes;
  const bool whole = t.width == panel;
  HWY_ALIGN T edge[kRows * 2 * HWY_MAX_BYTES / sizeof(T)];
  T* c = t.c;
  std::size_t c_stride = t.c_stride;
  if (!whole) {
    c = edge;
    c_stride = panel;
    if (t.into != Into::kSet)
      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < t.width; ++j) edge[i * panel + j] = t.c[i * t.c_stride + j];
        for (std::size_t j = t.width; j < panel; ++j) edge[i * panel + j] = 0;
      }
  }
  V sum[kRows][2];
  for (std::size_t i = 0; i < kRows; ++i) {
    sum[i][0] = t.into == Into::kSet ? hn::Zero(tag) : hn::LoadU(tag, c + i * c_stride);
    sum[i][1] = t.into == Into::kSet ? hn::Zero(tag) : hn::LoadU(tag, c + i * c_stride + lanes);
  }
  const T* a = t.a;
  const T* b = t.panel;
  for (std::size_t k = 0; k < t.depth; ++k, a += t.depth_stride, b += panel) {
    const V b0 = hn::Load(tag, b);
    const V b1 = hn::Load(tag, b + lanes);
    HWY_UNROLL(6)
    for (std::size_t i = 0; i < kRows; ++i) {
      const V ai = hn::Set(tag, a[i * t.row_stride]);
      if constexpr (kSubtract) {
        sum[i][0] = hn::NegMulAdd(ai, b0, sum[i][0]);
        sum[i][1] = hn::NegMulAdd(ai, b1, sum[i][1]);
      } else {
        sum[i][0] = hn::MulAdd(ai, b0, sum[i][0]);
        sum[i][1] = hn::MulAdd(ai, b1, sum[i][1]);
      }
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    hn::StoreU(sum[i][0], tag, c + i * c_stride);
    hn::StoreU(sum[i][1], tag, c + i * c_stride + lanes);
  }
  if (!whole)
    for (std::size_t i = 0; i < kRows; ++i) std::memcpy(t.c + i * t.c_stride, edge + i * panel, t.width * sizeof(T));
}

template <class T, bool kSubtract>
HWY_INLINE void tile_into(const TileArguments<T>& t) {
  switch (t.rows) {
    case 1:
      return tile_rows<T, 1, kSubtract>(t);
    case 2:
      return tile_rows<T, 2, kSubtract>(t);
    case 3:
      return tile_rows<T, 3, kSubtract>(t);
    case 4:
      return tile_rows<T, 4, kSubtract>(t);
    case 5:
      return tile_rows<T, 5, kSubtract>(t);
    default:
      return tile_rows<T, kTileRows, kSubtract>(t);
  }
}

template <class T>
void tile(const TileArguments<T>& t) {
  if (t.into == Into::kSubtract) {
    tile_into<T, true>(t);
  } else {
    tile_into<T, false>(t);
  }
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
  std::size_t j = 0;
  for (; j + lanes <= p.n; j += lanes) {
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
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(tag, movable, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    for (; bits != 0; bits &= bits - 1)
      p.list[n_list++] = static_cast<std::uint32_t>(j + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  kkt = hn::GetLane(hn::MaxOfLanes(tag, worst));
  for (; j < p.n; ++j) {
    if (p.inverse_diagonal[j] == T{0}) continue;
    const T u = p.u[j];
    const T pull = p.positive ? p.r[j] : std::abs(p.r[j]);
    T residual = pull > p.lambda ? pull - p.lambda : T{0};
    if (u != 0) residual = std::abs(p.r[j] - (u > 0 ? p.lambda : -p.lambda));
    if (residual > kkt) kkt = residual;
    if (u != 0 || pull > p.lambda) p.list[n_list++] = static_cast<std::uint32_t>(j);
  }
  return n_list;
}

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

// The largest move that one coordinate wants, |H_jj step_j|, and whose it is.
template <class T>
struct LargestMove {
  T size = 0;
  std::size_t index = 0;
};

// H_jj times the step of a coordinate from u to its minimiser, z = r_j + H_jj u_j.
template <class T>
HWY_INLINE T scaled_move(const DescentArguments<T>& p, std::size_t j) {
  const T hu = p.diagonal[j] * p.u[j];
  const T z = p.r[j] + hu;
  T target = 0;
  if (z > p.lambda) target = z - p.lambda;
  if (!p.positive && z < -p.lambda) target = z + p.lambda;
  return p.inverse_diagonal[j] == T{0} ? T{0} : target - hu;
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
  std::size_t k = 0;
  for (; k + lanes <= p.n; k += lanes) {
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
  const hn::CappedTag<T, 1> one;
  for (; k < p.n; ++k) {
    hn::StoreU(hn::NegMulAdd(hn::Set(one, step), hn::LoadU(one, row + k), hn::LoadU(one, p.r + k)), one, p.r + k);
    const T move = std::abs(scaled_move(p, k));
    if (move > largest.size) largest = {move, k};
  }
  return largest;
}

// From u = 0: the coordinate that moves farthest goes first, until no move is larger than half the threshold. It finds
// a sparse support with far fewer updates than sweeping.
template <class T>
HWY_INLINE void descend_greedily(const DescentArguments<T>& p) {
  const std::size_t max_steps = 2 * p.n;
  LargestMove<T> next = subtract_and_find(p, T{0}, p.gram);
  for (std::size_t count = 0; count < max_steps && next.size > p.lambda / 2; ++count) {
    const std::size_t j = next.index;
    const T step = scaled_move(p, j) * p.inverse_diagonal[j];
    p.u[j] += step;
    next = subtract_and_find(p, step, p.gram + j * p.gram_stride);
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

template <class T>
DescentReport<T> descend(const DescentArguments<T>& p) {
  DescentReport<T> report;
  if (p.from_zero && p.lambda > T{0}) descend_greedily(p);
  for (;; ++report.sweeps) {
    const std::size_t n_list = list_movable(p, report.kkt);
    if (report.kkt <= p.tolerance || report.sweeps == p.max_sweeps) return report;
    if (n_list > 0) sweep(p, n_list);
  }
}

// Sums of one code for its certificate; see CodeSums.
template <class T>
CodeSums summarise(const T* u, const T* b, const T* r, std::size_t n, T lambda, bool positive) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const std::size_t lanes = hn::Lanes(tag);
  const V zero = hn::Zero(tag);
  V pull = zero, abs = zero, ub = zero, ur = zero;
  std::size_t nonzeros = 0;
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const V vu = hn::LoadU(tag, u + j);
    const V vr = hn::LoadU(tag, r + j);
    pull = hn::Max(pull, positive ? vr : hn::Abs(vr));
    abs = hn::Add(abs, hn::Abs(vu));
    ub = hn::MulAdd(vu, hn::LoadU(tag, b + j), ub);
    ur = hn::MulAdd(vu, vr, ur);
    nonzeros += hn::CountTrue(tag, hn::Ne(vu, zero));
  }
  T pull_max = hn::GetLane(hn::MaxOfLanes(tag, pull));
  CodeSums sums;
  sums.abs = static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, abs)));
  sums.ub = static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, ub)));
  sums.ur = static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, ur)));
  for (; j < n; ++j) {
    pull_max = std::max(pull_max, positive ? r[j] : std::abs(r[j]));
    sums.abs += static_cast<double>(std::abs(u[j]));
    sums.ub += static_cast<double>(u[j] * b[j]);
    sums.ur += static_cast<double>(u[j] * r[j]);
    nonzeros += u[j] != T{0} ? 1 : 0;
  }
  sums.nonzeros = nonzeros;
  sums.pull = static_cast<double>(pull_max);
  // lambda |u_j| - s u_j r_j, never negative, formed before it is summed: the sums themselves nearly cancel.
  const T s = pull_max > lambda ? lambda / pull_max : T{1};
  const V vs = hn::Set(tag, s);
  const V vl = hn::Set(tag, lambda);
  V slack = zero;
  for (j = 0; j + lanes <= n; j += lanes) {
    const V vu = hn::LoadU(tag, u + j);
    const V toward = hn::Mul(vs, hn::CopySign(hn::LoadU(tag, r + j), hn::Xor(hn::LoadU(tag, r + j), vu)));
    slack = hn::MulAdd(hn::Abs(vu), hn::Max(hn::Sub(vl, toward), zero), slack);
  }
  sums.slack = static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, slack)));
  for (; j < n; ++j) sums.slack += static_cast<double>(std::max(T{0}, lambda * std::abs(u[j]) - s * u[j] * r[j]));
  return sums;
}

Kernels<float> float_table() {
  return {hwy::TargetName(HWY_TARGET), panel_width<float>(), tile<float>, descend<float>, summarise<float>};
}
Kernels<double> double_table() {
  return {hwy::TargetName(HWY_TARGET), panel_width<double>(), tile<double>, descend<double>, summarise<double>};
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dualdict {

HWY_EXPORT(float_table);
HWY_EXPORT(double_table);

namespace {

// The entry of a dispatch table for one target. A ChosenTarget of our own leaves the process-wide one alone.
std::size_t dispatch_index(std::int64_t target) {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) return 0;
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}

}  // namespace

SimdTables simd_tables() {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  std::reverse(targets.begin(), targets.end());
  SimdTables tables;
  for (const std::int64_t target : targets) {
    const std::size_t index = dispatch_index(target);
    tables.floats.push_back((*HWY_DISPATCH_TABLE(float_table)[index])());
    tables.doubles.push_back((*HWY_DISPATCH_TABLE(double_table)[index])());
  }
  return tables;
}

}  // namespace dualdict
#endif
