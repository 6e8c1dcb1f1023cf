// SPDX-License-Identifier: BSD-3-Clause
// The kernels of hard and greedy codes, compiled once per instruction set by Highway. Which of them run here is what
// all_kernels() says.
#include <string_view>
#include <type_traits>
#include <vector>

#include "linalg/kernels/l0_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/kernels/simd_l0.cc"
#include <hwy/foreach_target.h>  // includes this file again for every target
// foreach_target first
#include <hwy/highway.h>

#include "linalg/kernels/l0-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

template <class T>
L0Kernels<T> l0_table() {
  return {hwy::TargetName(HWY_TARGET), move_greedily<T>, keep_large<T>, dot_rows<T>, adam_step<T>};
}
L0Kernels<float> float_l0_table() {
  return l0_table<float>();
}
L0Kernels<double> double_l0_table() {
  return l0_table<double>();
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dualdict {
namespace {

// Null where this build leaves it out. Only that of a variant that runs here may be called.
struct L0Variant {
  const char* name;
  L0Kernels<float> (*floats)();
  L0Kernels<double> (*doubles)();
};

std::vector<L0Variant> l0_variants() {
  std::vector<L0Variant> variants = {
      {hwy::TargetName(HWY_STATIC_TARGET), HWY_STATIC_DISPATCH(float_l0_table), HWY_STATIC_DISPATCH(double_l0_table)}};
#if HWY_ARCH_X86
  variants.push_back({hwy::TargetName(HWY_AVX2), HWY_CHOOSE_AVX2(float_l0_table), HWY_CHOOSE_AVX2(double_l0_table)});
  variants.push_back({hwy::TargetName(HWY_AVX3), HWY_CHOOSE_AVX3(float_l0_table), HWY_CHOOSE_AVX3(double_l0_table)});
#endif
  return variants;
}

template <class T>
L0Kernels<T> l0_table_named(std::string_view name) {
  for (const L0Variant& variant : l0_variants()) {
    if (variant.name != name || variant.floats == nullptr) continue;
    if constexpr (std::is_same_v<T, float>)
      return variant.floats();
    else
      return variant.doubles();
  }
  return scalar_l0_kernels<T>();
}

}  // namespace

template <class T>
const L0Kernels<T>& l0_kernels() {
  static const L0Kernels<T> chosen = l0_table_named<T>(kernels<T>().name);
  return chosen;
}
template <class T>
std::vector<L0Kernels<T>> all_l0_kernels() {
  std::vector<L0Kernels<T>> all;
  for (const Kernels<T>& kernel : all_kernels<T>()) all.push_back(l0_table_named<T>(kernel.name));
  return all;
}

template const L0Kernels<float>& l0_kernels<float>();
template const L0Kernels<double>& l0_kernels<double>();
template std::vector<L0Kernels<float>> all_l0_kernels<float>();
template std::vector<L0Kernels<double>> all_l0_kernels<double>();

}  // namespace dualdict
#endif
