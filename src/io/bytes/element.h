// SPDX-License-Identifier: BSD-3-Clause
// How one number is stored in a matrix file, and turning stored numbers into float or double.
#pragma once

#include <cstddef>

#include "dualdict/data.h"

namespace dualdict {

enum class Scalar {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64
};

struct ElementFormat {
  Scalar scalar = Scalar::kFloat32;
  bool big_endian = false;
};

std::size_t element_size(Scalar scalar);
// The smallest of the public types that holds the values; 32- and 64-bit integers count as float64.
ElementType element_type(Scalar scalar);

// `from` needs no alignment.
void convert_elements(ElementFormat format, const std::byte* from, std::size_t n, float* to);
void convert_elements(ElementFormat format, const std::byte* from, std::size_t n, double* to);

// Whether stored bytes are T in memory, so that they can be read in place.
template <class T>
bool is_native(ElementFormat format);

}  // namespace dualdict
