// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/screen.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "linalg/kernels/kernels.h"

namespace dualdict {
namespace {

// The nearest integer, even at halves, of a number far below 2^22: added to 1.5 2^23, it is in the last bits.
std::int32_t nearest(float value) {
  constexpr float kShift = 12582912.0F;
  return std::bit_cast<std::int32_t>(value + kShift) - std::bit_cast<std::int32_t>(kShift);
}

template <class T>
float largest_of(const T* row, std::size_t n) {
  return static_cast<float>(kernels<T>().largest_magnitude(row, n));
}

// The magnitude that about a share of normal numbers of variance 1 are above, from below: exp(-z^2 / 2) is never less.
float normal_bound(double share) {
  return static_cast<float>(std::sqrt(std::max(0.0, -2 * std::log(std::min(1.0, 2 * share)))));
}

}  // namespace

template <class T>
void ScreenAtoms::pack(MatrixView<const T> atoms, ThreadPool& pool) {
  constexpr std::size_t kPanelsAtOnce = 4;
  n_atoms_ = atoms.rows;
  groups_ = (atoms.cols + kScreenGroup - 1) / kScreenGroup;
  const std::size_t n_panels = (n_atoms_ + kScreenPanel - 1) / kScreenPanel;
  zeros_.assign(n_panels * kScreenPanel, 0);
  scales_.assign(n_panels * kScreenPanel, 0.0F);
  bytes_.resize(n_panels * groups_ * kScreenPanel * kScreenGroup);
  pool.run((n_panels + kPanelsAtOnce - 1) / kPanelsAtOnce, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * kPanelsAtOnce * kScreenPanel;
    const std::size_t end = std::min(n_panels * kScreenPanel, first + kPanelsAtOnce * kScreenPanel);
    for (std::size_t k = first; k < end; ++k) {
      std::int8_t* const panel = bytes_.data() + k / kScreenPanel * groups_ * kScreenPanel * kScreenGroup;
      const float largest = k < n_atoms_ ? largest_of(atoms.row(k), atoms.cols) : 0.0F;
      scales_[k] = largest / static_cast<float>(kScreenAtomMost);
      const float by = largest > 0 ? static_cast<float>(kScreenAtomMost) / largest : 0.0F;
      std::int32_t sum = 0;
      for (std::size_t f = 0; f < groups_ * kScreenGroup; ++f) {
        const bool is_there = k < n_atoms_ && f < atoms.cols;
        const std::int32_t value = is_there ? nearest(static_cast<float>(atoms(k, f)) * by) : 0;
        sum += value;
        const std::size_t at = (f / kScreenGroup * kScreenPanel + k % kScreenPanel) * kScreenGroup + f % kScreenGroup;
        panel[at] = static_cast<std::int8_t>(value);
      }
      zeros_[k] = kScreenSampleZero * sum;
    }
  });
}

void ScreenRows::reserve(const ScreenAtoms& atoms) {
  if (products_.cols() != atoms.stride()) products_ = Matrix<float>(kMostRows, atoms.stride());
  row_bytes_ = atoms.groups() * kScreenGroup;
  bytes_.resize(kMostRows * row_bytes_);
  scales_.resize(kMostRows);
}

template <class T>
void ScreenRows::set(std::size_t i, const T* sample, std::size_t n_features) {
  const float largest = largest_of(sample, n_features);
  const float by = largest > 0 ? static_cast<float>(kScreenSampleMost) / largest : 0.0F;
  scales_[i] = largest / static_cast<float>(kScreenSampleMost);
  std::uint8_t* const row = bytes_.data() + i * row_bytes_;
  for (std::size_t f = 0; f < n_features; ++f)
    row[f] = static_cast<std::uint8_t>(nearest(static_cast<float>(sample[f]) * by) + kScreenSampleZero);
  std::fill(row + n_features, row + row_bytes_, static_cast<std::uint8_t>(kScreenSampleZero));
}

void ScreenRows::multiply(const ScreenAtoms& atoms, std::size_t n_rows) {
  screen_kernels().screen({.samples = bytes_.data(),
                           .sample_scales = scales_.data(),
                           .n_samples = n_rows,
                           .groups = atoms.groups(),
                           .atoms = atoms.bytes(),
                           .zeros = atoms.zeros(),
                           .atom_scales = atoms.scales(),
                           .n_panels = atoms.stride() / kScreenPanel,
                           .out = products_.data(),
                           .out_stride = products_.cols()});
}

void Shortlist::reserve(std::size_t n_atoms) {
  places_.reserve(n_atoms + kScreenPanel);
}

// A threshold that normal numbers would pass somewhat too often, then lower ones while it lists too few.
std::size_t Shortlist::find(const float* row, std::size_t n_atoms, std::size_t most, bool positive) {
  constexpr double kMore = 1.5;
  constexpr float kLower = 0.75F;
  constexpr int kTries = 8;
  const double share = kMore * static_cast<double>(most) / static_cast<double>(n_atoms);
  const double mean_square = kernels<float>().squared_norm(row, n_atoms) / static_cast<double>(n_atoms);
  float threshold = static_cast<float>(std::sqrt(mean_square)) * normal_bound(share);
  places_.resize(n_atoms + kScreenPanel);
  std::size_t count = 0;
  for (int attempt = 0; attempt <= kTries; ++attempt, threshold *= kLower) {
    if (attempt == kTries) threshold = 0;
    count = screen_kernels().list_above(row, n_atoms, threshold, positive, places_.data());
    if (count >= most || !(threshold > 0)) break;
  }
  places_.resize(count);
  bound_ = 0;
  if (count <= most) return count;
  const auto larger = [row](std::uint32_t a, std::uint32_t b) {
    const float x = std::abs(row[a]), y = std::abs(row[b]);
    return x > y || (x == y && a < b);
  };
  const auto end = places_.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(places_.begin(), end - 1, places_.end(), larger);
  bound_ = std::abs(row[*(end - 1)]);
  places_.resize(most);
  std::sort(places_.begin(), places_.end());
  return most;
}

template void ScreenAtoms::pack<float>(MatrixView<const float>, ThreadPool&);
template void ScreenAtoms::pack<double>(MatrixView<const double>, ThreadPool&);
template void ScreenRows::set<float>(std::size_t, const float*, std::size_t);
template void ScreenRows::set<double>(std::size_t, const double*, std::size_t);

}  // namespace dualdict
