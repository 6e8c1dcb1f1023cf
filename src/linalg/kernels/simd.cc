// SPDX-License-Identifier: BSD-3-Clause
// One source, compiled once per instruction set by Highway; select.cc picks a table.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/kernels/simd.cc"
#include <hwy/foreach_target.h>  // includes this file again for every target
// foreach_target first
#include <hwy/highway.h>

#include "linalg/kernels/descent-inl.h"
#include "linalg/kernels/panel_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

template <class T, class D>
HWY_INLINE void shrink_at(const ShrinkArguments<T>& p, D tag, std::size_t j) {
  const auto zero = hn::Zero(tag);
  const auto v = hn::LoadU(tag, p.v + j);
  const auto size = p.positive ? v : hn::Abs(v);
  const auto threshold =
      hn::MulAdd(hn::LoadU(tag, p.growth + j), hn::Set(tag, p.level), hn::LoadU(tag, p.threshold + j));
  const auto excess = hn::Max(hn::Sub(size, threshold), zero);
  const auto code = hn::CopySign(hn::Mul(hn::LoadU(tag, p.gain + j), excess), v);
  hn::StoreU(hn::Add(code, zero), tag, p.v + j);
}

template <class T>
void shrink(const ShrinkArguments<T>& p) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  std::size_t j = 0;
  for (; j + lanes <= p.n; j += lanes) shrink_at(p, Tag<T>(), j);
  for (; j < p.n; ++j) shrink_at(p, hn::CappedTag<T, 1>(), j);
}

template <class T>
double squared_norm(const T* x, std::size_t n) {
  const Tag<double> wide;
  const hn::Rebind<T, Tag<double>> narrow;
  const std::size_t lanes = hn::Lanes(wide);
  auto even = hn::Zero(wide), odd = hn::Zero(wide);
  const auto at = [&](std::size_t k) {
    if constexpr (std::is_same_v<T, double>) {
      return hn::LoadU(wide, x + k);
    } else {
      return hn::PromoteTo(wide, hn::LoadU(narrow, x + k));
    }
  };
  std::size_t k = 0;
  for (; k + 2 * lanes <= n; k += 2 * lanes) {
    const auto a = at(k), b = at(k + lanes);
    even = hn::MulAdd(a, a, even);
    odd = hn::MulAdd(b, b, odd);
  }
  double sum = hn::GetLane(hn::SumOfLanes(wide, hn::Add(even, odd)));
  for (; k < n; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return sum;
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
  return {hwy::TargetName(HWY_TARGET), panel_width<float>(), tile<float>,   descend<float>,      add_rows<float>,
          add_panel_rows<float>,       list_nonzeros<float>, shrink<float>, squared_norm<float>, summarise<float>};
}
Kernels<double> double_table() {
  return {hwy::TargetName(HWY_TARGET), panel_width<double>(), tile<double>,   descend<double>,      add_rows<double>,
          add_panel_rows<double>,      list_nonzeros<double>, shrink<double>, squared_norm<double>, summarise<double>};
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
