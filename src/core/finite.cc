// SPDX-License-Identifier: BSD-3-Clause
#include "core/finite.h"

#include <cmath>

#include "dualdict/error.h"

namespace dualdict {
namespace {

template <class T>
NonFinite find(MatrixView<const T> values) {
  NonFinite found;
  for (std::size_t i = 0; i < values.rows; ++i) {
    const T* row = values.row(i);
    if (all_finite(values.row_range(i, 1))) continue;
    for (std::size_t j = 0; j < values.cols; ++j) {
      if (std::isfinite(row[j])) continue;
      if (found.count == 0) {
        found.row = i;
        found.column = j;
      }
      ++found.count;
    }
  }
  return found;
}

}  // namespace

NonFinite find_non_finite(MatrixView<const float> values) {
  return find(values);
}
NonFinite find_non_finite(MatrixView<const double> values) {
  return find(values);
}

void NonFinite::add(const NonFinite& block, std::size_t first_row) {
  if (count == 0 && block.count > 0) {
    row = first_row + block.row;
    column = block.column;
  }
  count += block.count;
}

void require_finite(const NonFinite& found, const std::string& name) {
  if (found.count == 0) return;
  throw Error(ErrorKind::kInput, name + ": " + std::to_string(found.count) +
                                     (found.count == 1 ? " value is" : " values are") +
                                     " NaN or infinite, the first at row " + std::to_string(found.row) + ", column " +
                                     std::to_string(found.column) +
                                     " (counted from 0); every value must be finite: remove or fill in these samples");
}

template <class T>
void require_finite(MatrixView<const T> values, const std::string& name, std::size_t first_row) {
  NonFinite found;
  found.add(find(values), first_row);
  require_finite(found, name);
}

template void require_finite<float>(MatrixView<const float>, const std::string&, std::size_t);
template void require_finite<double>(MatrixView<const double>, const std::string&, std::size_t);

}  // namespace dualdict
