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
#include "linalg/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

template <class T>
void shrink(const Shrinkage<T>& shrinkage, T* row, std::size_t n) {
  const std::size_t lanes = hn::Lanes(Tag<T>());
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes)
    hn::StoreU(shrunk(shrinkage, 0, j, lanes, hn::LoadU(Tag<T>(), row + j)), Tag<T>(), row + j);
  if (j < n) store_first<T>(shrunk(shrinkage, 0, j, n - j, load_first<T>(row + j, n - j)), row + j, n - j);
}

// Compared as integers, which order magnitudes in the same way, with infinity and then NaN above all others.
template <class T>
T largest_magnitude(const T* x, std::size_t n) {
  const Tag<T> tag;
  const hn::RebindToSigned<Tag<T>> bits_tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto largest = hn::Zero(bits_tag);
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) largest = hn::Max(largest, hn::BitCast(bits_tag, hn::Abs(hn::LoadU(tag, x + k))));
  if (k < n) largest = hn::Max(largest, hn::BitCast(bits_tag, hn::Abs(load_first<T>(x + k, n - k))));
  HWY_ALIGN hn::TFromD<decltype(bits_tag)> bits[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(largest, bits_tag, bits);
  return std::bit_cast<T>(*std::max_element(bits, bits + lanes));
}

template <class T>
std::size_t count_nonzeros(const T* x, std::size_t n) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto zero = hn::Zero(tag);
  std::size_t count = 0;
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) count += hn::CountTrue(tag, hn::Ne(hn::LoadU(tag, x + k), zero));
  if (k < n) count += hn::CountTrue(tag, hn::Ne(load_first<T>(x + k, n - k), zero));
  return count;
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

// Sums over the vectors of one code for its certificate; see CodeSums.
template <class T>
struct VectorSums {
  hn::Vec<Tag<T>> pull, start, abs, ub, ur;
  std::size_t nonzeros;
};

template <class T>
HWY_INLINE void add_part(const T* u, const T* b, const T* r, std::size_t count, bool positive, VectorSums<T>& sums) {
  const Tag<T> tag;
  const auto vu = load_first<T>(u, count);
  const auto vb = load_first<T>(b, count);
  const auto vr = load_first<T>(r, count);
  sums.pull = hn::Max(sums.pull, positive ? vr : hn::Abs(vr));
  sums.start = hn::Max(sums.start, positive ? vb : hn::Abs(vb));
  sums.abs = hn::Add(sums.abs, hn::Abs(vu));
  sums.ub = hn::MulAdd(vu, vb, sums.ub);
  sums.ur = hn::MulAdd(vu, vr, sums.ur);
  sums.nonzeros += hn::CountTrue(tag, hn::Ne(vu, hn::Zero(tag)));
}

// sum + lambda |u_j| - s u_j r_j, whose terms are never negative, formed before they are summed: the sums themselves
// nearly cancel.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> add_slack(const T* u, const T* r, std::size_t count, T lambda, T s, hn::Vec<Tag<T>> sum) {
  const Tag<T> tag;
  const auto vu = load_first<T>(u, count);
  const auto vr = load_first<T>(r, count);
  const auto toward = hn::Mul(hn::Set(tag, s), hn::CopySign(vr, hn::Xor(vr, vu)));
  return hn::MulAdd(hn::Abs(vu), hn::Max(hn::Sub(hn::Set(tag, lambda), toward), hn::Zero(tag)), sum);
}

template <class T>
HWY_INLINE double sum_of(hn::Vec<Tag<T>> v) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(Tag<T>(), v)));
}

template <class T>
CodeSums summarise(const T* u, const T* b, const T* r, std::size_t n, T lambda, bool positive) {
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t whole = n / lanes * lanes;
  const auto zero = hn::Zero(tag);
  VectorSums<T> vectors{zero, zero, zero, zero, zero, 0};
  for (std::size_t j = 0; j < whole; j += lanes) add_part<T>(u + j, b + j, r + j, lanes, positive, vectors);
  if (whole < n) add_part<T>(u + whole, b + whole, r + whole, n - whole, positive, vectors);
  const T pull = hn::GetLane(hn::MaxOfLanes(tag, vectors.pull));
  const T s = pull > lambda ? lambda / pull : T{1};
  auto slack = zero;
  for (std::size_t j = 0; j < whole; j += lanes) slack = add_slack<T>(u + j, r + j, lanes, lambda, s, slack);
  if (whole < n) slack = add_slack<T>(u + whole, r + whole, n - whole, lambda, s, slack);
  const T start = hn::GetLane(hn::MaxOfLanes(tag, vectors.start));
  return {vectors.nonzeros,          sum_of<T>(vectors.abs),     sum_of<T>(vectors.ub), sum_of<T>(vectors.ur),
          static_cast<double>(pull), static_cast<double>(start), sum_of<T>(slack)};
}

template <class T>
Kernels<T> table() {
  return {hwy::TargetName(HWY_TARGET),
          kTileRows,
          panel_width<T>(),
          kPanelsAtOnce,
          kCacheBytes,
          kSparseShare,
          tile<T>,
          descend<T>,
          add_rows<T>,
          add_panel_rows<T>,
          list_nonzeros<T>,
          mark_nonzeros<T>,
          shrink<T>,
          largest_magnitude<T>,
          count_nonzeros<T>,
          squared_norm<T>,
          summarise<T>};
}
Kernels<float> float_table() {
  return table<float>();
}
Kernels<double> double_table() {
  return table<double>();
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dualdict {
namespace {

// Compiled beside what every CPU has; null where this build leaves it out.
struct Variant {
  bool runs_here;
  Kernels<float> (*floats)();
  Kernels<double> (*doubles)();
};

// The CPU is asked here: Highway's own answer is in a shared library that measures a timer whenever a program that
// links it starts, which takes five milliseconds.
std::vector<Variant> optional_variants() {
#if HWY_ARCH_X86
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  return {{avx2 && HWY_STATIC_TARGET != HWY_AVX2, HWY_CHOOSE_AVX2(float_table), HWY_CHOOSE_AVX2(double_table)},
          {avx3 && HWY_STATIC_TARGET != HWY_AVX3, HWY_CHOOSE_AVX3(float_table), HWY_CHOOSE_AVX3(double_table)}};
#else
  return {};
#endif
}

}  // namespace

SimdTables simd_tables() {
  SimdTables tables;
  tables.floats.push_back(HWY_STATIC_DISPATCH(float_table)());
  tables.doubles.push_back(HWY_STATIC_DISPATCH(double_table)());
  for (const Variant& variant : optional_variants()) {
    if (!variant.runs_here || variant.floats == nullptr) continue;
    tables.floats.push_back(variant.floats());
    tables.doubles.push_back(variant.doubles());
  }
  return tables;
}

}  // namespace dualdict
#endif
