// SPDX-License-Identifier: BSD-3-Clause
// Hard codes: one product and one threshold for all atoms, z = W x + b and u_k = z_k where |z_k| > t, else 0; or one
// for each atom; or the n largest of each sample.
//
// For a mode of encoding: what the model keeps is W (K x d), b, t, and a decoder V with its own bias, x ~ V u + b_dec;
// model/fit/hard_fit.h makes them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dualdict/matrix.h"
#include "linalg/product.h"

namespace dualdict {

template <class T>
struct HardProblem {
  PackedRight<T> weights;  // W', d x K
  AlignedVector<T> bias;
  T threshold = 0;
  bool positive = false;          // u_k = z_k where z_k > t
  std::vector<T> own_thresholds;  // of each atom, in the place of t; or empty

  void assign(MatrixView<const double> weights_in, std::span<const double> bias_in, double threshold_in,
              bool positive_in);
};

// x: n x d, u: n x K, any n. The code of a row depends on that row alone.
template <class T>
void hard_codes(const HardProblem<T>& problem, MatrixView<const T> x, MatrixView<T> u);

// The `count` largest |z_k| of each row, or z_k > 0 where the codes are positive; of equal ones the first atoms.
template <class T>
void largest_codes(const HardProblem<T>& problem, std::size_t count, MatrixView<const T> x, std::vector<T>& work,
                   MatrixView<T> u);

// The threshold above which `nonzeros` elements a row lie on average: as many as can be without exceeding that where
// elements are equal. Uses `responses` up.
template <class T>
T threshold_for_nonzeros(Matrix<T>& responses, double nonzeros, bool positive);

}  // namespace dualdict
