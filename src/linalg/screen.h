// SPDX-License-Identifier: BSD-3-Clause
// Which of many unit atoms resemble a sample most, by a rough product in bytes: its error is about a thousandth of the
// sample's norm, its time a third to a tenth of the exact product's. The bits are the same on every CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "linalg/kernels/screen_kernels.h"

namespace dualdict {

// Atoms as bytes, each with its scale. With more features than this a sum might not fit 32 bits.
inline constexpr std::size_t kMostScreenFeatures = std::size_t{1} << 16;

class ScreenAtoms {
 public:
  // Rows of atoms.
  template <class T>
  void pack(MatrixView<const T> atoms, ThreadPool& pool);

  std::size_t n_atoms() const { return n_atoms_; }
  std::size_t groups() const { return groups_; }
  // Columns of a row of products; those after the atoms are zero.
  std::size_t stride() const { return zeros_.size(); }
  const std::int8_t* bytes() const { return bytes_.data(); }
  const std::int32_t* zeros() const { return zeros_.data(); }
  const float* scales() const { return scales_.data(); }

 private:
  std::size_t n_atoms_ = 0;
  std::size_t groups_ = 0;
  AlignedVector<std::int8_t> bytes_;
  AlignedVector<std::int32_t> zeros_;
  AlignedVector<float> scales_;
};

// Some samples at a time, and their rough products with all atoms.
class ScreenRows {
 public:
  static constexpr std::size_t kMostRows = 32;
  void reserve(const ScreenAtoms& atoms);
  // Makes a sample row i.
  template <class T>
  void set(std::size_t i, const T* sample, std::size_t n_features);
  void multiply(const ScreenAtoms& atoms, std::size_t n_rows);
  float* row(std::size_t i) { return products_.row(i); }

 private:
  std::size_t row_bytes_ = 0;
  AlignedVector<std::uint8_t> bytes_;
  std::vector<float> scales_;
  Matrix<float> products_;
};

// The `most` largest of a row by magnitude (by themselves, if `positive`; only what is above zero), the first of equal
// ones: places, rising.
class Shortlist {
 public:
  void reserve(std::size_t n_atoms);
  std::size_t find(const float* row, std::size_t n_atoms, std::size_t most, bool positive);
  const std::vector<std::uint32_t>& places() const { return places_; }
  // The smallest that is listed where others are not; 0 where all are.
  float bound() const { return bound_; }

 private:
  std::vector<std::uint32_t> places_;
  float bound_ = 0;
};

}  // namespace dualdict
