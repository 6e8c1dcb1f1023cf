// SPDX-License-Identifier: BSD-3-Clause
// Least squares on the support of a code: l1 codes point the right way and are too short.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

struct DebiasWorkspace {
  std::vector<std::size_t> support;
  std::vector<double> factor;  // of the support's Gram matrix
  std::vector<double> solution;
};

// Made for one dictionary, in double. Immutable; one workspace a thread.
class Debias {
 public:
  Debias(const Matrix<double>& dictionary, bool positive);

  // u: a code of the (preprocessed) sample x; its nonzeros become min |x - D_S u_S|, clamped at 0 for positive codes.
  // A support larger than d does not determine its code: that code stays as it is.
  template <class T>
  void apply(const T* x, T* u, DebiasWorkspace& work) const;

 private:
  double product(std::size_t i, std::size_t j) const;  // of two atoms
  Matrix<double> dictionary_;
  Matrix<double> gram_;  // empty when there are many atoms
  bool positive_;
};

}  // namespace dualdict
