// SPDX-License-Identifier: BSD-3-Clause
// Finding NaN and Inf in samples.
#pragma once

#include <cstddef>
#include <string>

#include "dualdict/matrix.h"

namespace dualdict {

// How many elements are NaN or infinite, and where the first one is.
struct NonFinite {
  std::size_t count = 0;
  std::size_t row = 0;
  std::size_t column = 0;
  // Takes in what was found in a later block of the same matrix, whose first row is `first_row`.
  void add(const NonFinite& block, std::size_t first_row);
};

NonFinite find_non_finite(MatrixView<const float> values);
NonFinite find_non_finite(MatrixView<const double> values);

// Throws Error(kInput) "NAME: n values are NaN or infinite, the first at row r, column c ..."; `first_row` is added to
// the row, for blocks of a larger matrix.
void require_finite(const NonFinite& found, const std::string& name);
template <class T>
void require_finite(MatrixView<const T> values, const std::string& name, std::size_t first_row = 0);

}  // namespace dualdict
