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

template <class T>
DescentReport<T> descend(const DescentArguments<T>& p) {
  DescentReport<T> report;
  for (;; ++report.sweeps) {
    const std::size_t n_list = list_movable(p, report.kkt);
    if (report.kkt <= p.tolerance || report.sweeps == p.max_sweeps) return report;
    for (std::size_t l = 0; l < n_list; ++l) {
      const std::size_t j = p.list[l];
      const T old = p.u[j];
      const T z = p.r[j] + p.diagonal[j] * old;
      T target = 0;
      if (z > p.lambda) target = (z - p.lambda) * p.inverse_diagonal[j];
      if (!p.positive && z < -p.lambda) target = (z + p.lambda) * p.inverse_diagonal[j];
      const T step = target - old;
      if (step == T{0}) continue;
      p.u[j] = target;
      subtract_scaled(step, p.gram + j * p.gram_stride, p.r, p.n);
    }
  }
}

Kernels<float> float_table() {
  return {hwy::TargetName(HWY_TARGET), panel_width<float>(), tile<float>, descend<float>};
}
Kernels<double> double_table() {
  return {hwy::TargetName(HWY_TARGET), panel_width<double>(), tile<double>, descend<double>};
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
