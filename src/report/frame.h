// SPDX-License-Identifier: BSD-3-Clause
// What the atoms are as a frame, and each atom by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

// A |x|^2 <= sum_i <d_i, x>^2 <= B |x|^2 for every x in the span of the atoms; a tight frame has A = B.
struct FrameBounds {
  std::size_t rank = 0;  // of the span: eigenvalues above 1e-6 of the largest
  double lower = 0;      // A
  double upper = 0;      // B
  double distance = 0;   // |S - s I| / |S| on the span, s the mean eigenvalue of S = sum_i d_i d_i'; 0 is tight
};

struct AtomNumbers {
  std::vector<double> norm;          // |d_i|
  std::vector<double> dual_norm;     // |c_i|
  std::vector<double> agreement;     // cos(d_i, c_i); 0 when one of them is zero
  std::vector<double> coherence;     // max_j |cos(d_i, d_j)|, j != i
  std::vector<std::size_t> nearest;  // that j
  double mean_coherence = 0;         // of |cos(d_i, d_j)| over all pairs
};

// Nothing when both K and d are above 1500, where the eigenvalues would take minutes.
std::optional<FrameBounds> frame_bounds(const Matrix<double>& atoms);
AtomNumbers atom_numbers(const Matrix<double>& atoms, const Matrix<double>& dual);
// No K unit vectors in d dimensions have a smaller largest coherence than this (Welch).
double welch_bound(std::size_t n_atoms, std::size_t n_features);

}  // namespace dualdict
