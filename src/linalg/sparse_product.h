// SPDX-License-Identifier: BSD-3-Clause
// Products whose left operand has many zeros, as codes do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dualdict/matrix.h"
#include "linalg/product.h"

namespace dualdict {

// Scratch of one thread: a bit for each of some columns of the left operand, set where it is not zero; whole words for
// every row.
struct UsedColumns {
  std::vector<std::uint64_t> bits;
};

// out += or -= left * right, and every element shrunk as soon as its sum is complete when there is a shrinkage. The
// bits are those of the dense product: the terms left out are zero. False, and nothing done, where the dense product is
// faster; a guess from some of the rows.
template <class T>
bool multiply_if_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, UsedColumns& work,
                        MatrixView<T> out, const Shrinkage<T>& shrinkage = {});

// The same without a shrinkage, one way or the other.
template <class T>
void multiply_sparse(MatrixView<const T> left, const PackedRight<T>& right, Into into, UsedColumns& work,
                     MatrixView<T> out);

// out = left * right where it is known which elements of left are not zero: those that are marked, row i from
// marks[i * mark_words(depth)] on. Columns of out before first_column need not be right.
template <class T>
void multiply_marked(const Left<T>& left, const std::uint64_t* marks, const PackedRight<T>& right, MatrixView<T> out,
                     std::size_t first_column = 0);

}  // namespace dualdict
