// SPDX-License-Identifier: BSD-3-Clause
// One sample's code by least squares on atoms that are chosen one after another, without a Gram matrix: V_S = Q R by
// Gram and Schmidt, and what is left of the sample is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

template <class T>
class OrthogonalCode {
 public:
  // No atoms yet: what is left is x - bias (an empty bias is zero).
  void start(const T* x, std::span<const double> bias, std::size_t n_features);

  // Adds a unit atom, of which `known` are the products with the last directions, when what is left falls by more than
  // `price` in the square, by more than rounding, and the atom does not depend on those before. The gain, less the
  // price; 0: not added.
  double add(std::uint32_t index, const T* atom, std::span<const T> known, T price);

  std::size_t size() const { return atoms_.size(); }
  const std::vector<std::uint32_t>& atoms() const { return atoms_; }
  const T* rest() const { return rest_.data(); }
  // Of the last atom: unit length, orthogonal to those before, and what of the rest it took.
  const T* last_direction() const { return basis_.data() + (size() - 1) * n_features_; }
  T last_length() const { return along_.back(); }
  // The coefficients, R^-1 of what the directions took.
  void solve(std::vector<T>& values) const;

 private:
  std::size_t n_features_ = 0;
  double least_ = 0;  // of a gain: what is below is rounding
  std::vector<std::uint32_t> atoms_;
  AlignedVector<T> basis_;  // rows of Q'
  std::vector<T> factor_;   // R, column by column
  std::vector<T> along_;    // Q'x
  AlignedVector<T> rest_;
  std::vector<T> products_;           // scratch: of an atom with the directions
  std::vector<std::uint32_t> count_;  // 0, 1, 2, ...
};

}  // namespace dualdict
