// SPDX-License-Identifier: BSD-3-Clause
// Products whose left operand is sparse; see PanelRowsArguments.
// Compiled once per instruction set: the guard is Highway's.
#if defined(DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H
#undef DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H
#else
#define DUALDICT_LINALG_KERNELS_PANEL_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "linalg/kernels/kernels.h"
#include "linalg/kernels/support_inverse-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dualdict::HWY_NAMESPACE {

template <bool kSubtract, class V>
HWY_INLINE V add_product(V factor, V row, V sum) {
  if constexpr (kSubtract)
    return hn::NegMulAdd(factor, row, sum);
  else
    return hn::MulAdd(factor, row, sum);
}

// One row of whole panels, two vectors each, in registers all the while.
template <class T, std::size_t kPanels, bool kSubtract>
HWY_INLINE void add_to_panels(const PanelRowsArguments<T>& p, std::size_t i, T* HWY_RESTRICT out) {
  const Tag<T> tag;
  using V = hn::Vec<Tag<T>>;
  const std::size_t lanes = hn::Lanes(tag);
  const std::size_t width = 2 * lanes;
  V low[kPanels], high[kPanels];
  const T* first[kPanels];
  for (std::size_t panel = 0; panel < kPanels; ++panel) {
    low[panel] = hn::LoadU(tag, out + panel * width);
    high[panel] = hn::LoadU(tag, out + panel * width + lanes);
    first[panel] = p.panels + panel * p.panel_size;
  }
  for (std::size_t e = p.bounds[2 * i]; e < p.bounds[2 * i + 1]; ++e) {
    const V factor = hn::Set(tag, p.values[e]);
    const std::size_t row = (p.columns[e] - p.first_row) * width;
    for (std::size_t panel = 0; panel < kPanels; ++panel) {
      low[panel] = add_product<kSubtract>(factor, hn::Load(tag, first[panel] + row), low[panel]);
      high[panel] = add_product<kSubtract>(factor, hn::Load(tag, first[panel] + row + lanes), high[panel]);
    }
  }
  for (std::size_t panel = 0; panel < kPanels; ++panel) {
    hn::StoreU(low[panel], tag, out + panel * width);
    hn::StoreU(high[panel], tag, out + panel * width + lanes);
  }
}

template <class T, std::size_t kPanels, bool kSubtract>
HWY_INLINE void add_panels(const PanelRowsArguments<T>& p) {
  const std::size_t width = kPanels * 2 * hn::Lanes(Tag<T>());
  HWY_ALIGN T edge[kPanels * 2 * HWY_MAX_BYTES / sizeof(T)] = {};
  for (std::size_t i = 0; i < p.n_rows; ++i) {
    T* out = p.out + i * p.out_stride;
    if (p.n == width) {
      add_to_panels<T, kPanels, kSubtract>(p, i, out);
    } else {
      std::copy_n(out, p.n, edge);
      add_to_panels<T, kPanels, kSubtract>(p, i, edge);
      std::copy_n(edge, p.n, out);
    }
  }
}

template <class T, bool kSubtract>
HWY_INLINE void add_some_panels(const PanelRowsArguments<T>& p) {
  const std::size_t width = 2 * hn::Lanes(Tag<T>());
  if (p.n <= width)
    add_panels<T, 1, kSubtract>(p);
  else if (p.n <= 2 * width)
    add_panels<T, 2, kSubtract>(p);
  else
    add_panels<T, kMostPanels, kSubtract>(p);
}

template <class T>
void add_panel_rows(const PanelRowsArguments<T>& p) {
  if (p.into == Into::kSubtract)
    add_some_panels<T, true>(p);
  else
    add_some_panels<T, false>(p);
}

template <class T>
std::size_t list_nonzeros(const T* row, std::size_t n, std::uint32_t* columns, T* values) {
  constexpr std::size_t kBits = 64;
  const Tag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t count = 0;
  std::size_t j = 0;
  while (j + lanes <= n) {
    const std::size_t first = j;
    std::uint64_t nonzero = 0;  // a bit for every column from `first` on
    for (; j + lanes <= n && j + lanes <= first + kBits; j += lanes) {
      std::uint64_t bits = 0;
      std::uint8_t bytes[sizeof(bits)] = {};
      hn::StoreMaskBits(tag, hn::Ne(hn::LoadU(tag, row + j), hn::Zero(tag)), bytes);
      std::memcpy(&bits, bytes, sizeof(bits));
      nonzero |= bits << (j - first);
    }
    for (; nonzero != 0; nonzero &= nonzero - 1, ++count) {
      const std::size_t column = first + static_cast<std::size_t>(std::countr_zero(nonzero));
      columns[count] = static_cast<std::uint32_t>(column);
      values[count] = row[column];
    }
  }
  for (; j < n; ++j) {  // written always, kept when not zero: no branch to guess
    columns[count] = static_cast<std::uint32_t>(j);
    values[count] = row[j];
    count += row[j] != T{0} ? 1 : 0;
  }
  return count;
}

}  // namespace dualdict::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
