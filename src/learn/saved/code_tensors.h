// SPDX-License-Identifier: BSD-3-Clause
// Codes as tensors of a file: their nonzeros, row by row.
#pragma once

#include <string>

#include "io/tensors/safetensors.h"
#include "learn/samples/code_store.h"

namespace dualdict {

// Adds codes.counts (nonzeros of each row) and codes.columns, as float32 since a column number is below 2^24, and
// codes.values in the precision of T.
template <class T>
void add_codes(TensorFile& file, const CodeStore<T>& codes);

// Fills every row of `codes`, which has its final shape. Throws Error(kInput) naming `path` and the tensor.
template <class T>
void read_codes(const TensorFile& file, const std::string& path, CodeStore<T>& codes);

}  // namespace dualdict
