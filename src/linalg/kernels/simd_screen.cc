// SPDX-License-Identifier: BSD-3-Clause
// The rough products in bytes, compiled once per instruction set by Highway. Which of them run here is what
// all_kernels() says, and for dot products of bytes the CPU.
#include <string_view>
#include <vector>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/screen_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/kernels/simd_screen.cc"
#include <hwy/foreach_target.h>  // includes this file again for every target
// foreach_target first
#include <hwy/highway.h>

#include "linalg/kernels/screen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

ScreenKernels screen_table() {
  return {hwy::TargetName(HWY_TARGET), screen<Dots>, list_above};
}
#if HWY_TARGET == HWY_AVX3
ScreenKernels vnni_screen_table() {
  return {"AVX3 VNNI", screen<VnniDots>, list_above};
}
#endif

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dualdict {
namespace {

// Null where this build leaves it out. Only that of a variant that runs here may be called.
struct ScreenVariant {
  std::string_view kernels;  // the name of the table of kernels() that it goes with
  bool runs_here;
  ScreenKernels (*make)();
};

std::vector<ScreenVariant> screen_variants() {
  std::vector<ScreenVariant> variants = {{hwy::TargetName(HWY_STATIC_TARGET), true, HWY_STATIC_DISPATCH(screen_table)}};
#if HWY_ARCH_X86
  variants.push_back({hwy::TargetName(HWY_AVX2), true, HWY_CHOOSE_AVX2(screen_table)});
  variants.push_back({hwy::TargetName(HWY_AVX3), true, HWY_CHOOSE_AVX3(screen_table)});
  variants.push_back(
      {hwy::TargetName(HWY_AVX3), __builtin_cpu_supports("avx512vnni") != 0, HWY_CHOOSE_AVX3(vnni_screen_table)});
#endif
  return variants;
}

// Those that go with a table of kernels(), the best last.
std::vector<ScreenKernels> screens_for(std::string_view kernels) {
  std::vector<ScreenKernels> tables;
  for (const ScreenVariant& variant : screen_variants())
    if (variant.kernels == kernels && variant.runs_here && variant.make != nullptr) tables.push_back(variant.make());
  if (tables.empty()) tables.push_back(scalar_screen_kernels());
  return tables;
}

}  // namespace

const ScreenKernels& screen_kernels() {
  static const ScreenKernels chosen = screens_for(kernels<float>().name).back();
  return chosen;
}
std::vector<ScreenKernels> all_screen_kernels() {
  std::vector<ScreenKernels> all;
  for (const Kernels<float>& kernel : all_kernels<float>())
    for (const ScreenKernels& table : screens_for(kernel.name)) all.push_back(table);
  return all;
}

}  // namespace dualdict
#endif
