// SPDX-License-Identifier: BSD-3-Clause
// Where codes are made: samples after the transform, less the model's offset.
#pragma once

#include <cstddef>

#include "dualdict/model.h"

namespace dualdict {

inline bool codes_as_is(const ModelParts& parts) {
  return parts.transform.is_identity() && parts.offset.empty();
}

// In place; `sign` -1 takes the offset away, 1 gives it back.
template <class T>
void add_offset(const ModelParts& parts, int sign, MatrixView<T> rows) {
  if (parts.offset.empty()) return;
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t f = 0; f < rows.cols; ++f) rows(i, f) += static_cast<T>(sign * parts.offset[f]);
}

template <class T>
void to_coding_space(const ModelParts& parts, MatrixView<T> rows) {
  parts.transform.apply(rows);
  add_offset(parts, -1, rows);
}

template <class T>
void from_coding_space(const ModelParts& parts, MatrixView<T> rows) {
  add_offset(parts, 1, rows);
  parts.transform.invert(rows);
}

}  // namespace dualdict
