// SPDX-License-Identifier: BSD-3-Clause
// The reference of the rough products in bytes, one number at a time.
#include <cmath>

#include "linalg/kernels/screen_kernels.h"

namespace dualdict {
namespace {

void screen(const ScreenArguments& p) {
  for (std::size_t i = 0; i < p.n_samples; ++i) {
    const std::uint8_t* const x = p.samples + i * p.groups * kScreenGroup;
    for (std::size_t k = 0; k < p.n_panels * kScreenPanel; ++k) {
      const std::int8_t* const panel = p.atoms + k / kScreenPanel * p.groups * kScreenPanel * kScreenGroup;
      std::int32_t sum = 0;
      for (std::size_t f = 0; f < p.groups * kScreenGroup; ++f) {
        const std::size_t at = (f / kScreenGroup * kScreenPanel + k % kScreenPanel) * kScreenGroup + f % kScreenGroup;
        sum += static_cast<std::int32_t>(x[f]) * static_cast<std::int32_t>(panel[at]);
      }
      p.out[i * p.out_stride + k] = static_cast<float>(sum - p.zeros[k]) * (p.sample_scales[i] * p.atom_scales[k]);
    }
  }
}

std::size_t list_above(const float* row, std::size_t n, float threshold, bool positive, std::uint32_t* places) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < n; ++k)
    if ((positive ? row[k] : std::abs(row[k])) > threshold) places[count++] = static_cast<std::uint32_t>(k);
  return count;
}

constexpr ScreenKernels kScreenTable{"scalar", screen, list_above};

}  // namespace

const ScreenKernels& scalar_screen_kernels() {
  return kScreenTable;
}

}  // namespace dualdict
