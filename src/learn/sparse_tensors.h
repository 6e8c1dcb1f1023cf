// SPDX-License-Identifier: BSD-3-Clause
// A matrix with many zeros as tensors: the elements whose bits are not all zero, row by row.
#pragma once

#include <string>

#include "dualdict/matrix.h"
#include "io/safetensors.h"

namespace dualdict {

// Adds NAME.counts (elements of each row) and NAME.columns, as float32 since a column number is below 2^24, and
// NAME.values in the precision of T. A negative zero is kept: the bits come back as they were.
template <class T>
void add_sparse_rows(TensorFile& file, const std::string& name, MatrixView<const T> rows);

// Fills every element of `rows`, which has its final shape. Throws Error(kInput) naming `path` and the tensor.
template <class T>
void read_sparse_rows(const TensorFile& file, const std::string& path, const std::string& name, MatrixView<T> rows);

}  // namespace dualdict
