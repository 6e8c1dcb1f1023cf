// SPDX-License-Identifier: BSD-3-Clause
// Between a plain matrix and a store of codes.
#pragma once

#include "learn/samples/code_store.h"

namespace dualdict {

template <class T>
CodeStore<T> store_codes(const Matrix<T>& rows) {
  CodeStore<T> codes(rows.rows(), rows.cols());
  SparseRows<T> nonzeros;
  for (std::size_t block = 0; block < codes.n_blocks(); ++block) {
    const std::size_t first = codes.block_start(block);
    codes.write(first, rows.view().row_range(first, codes.block_size(block)), nonzeros);
  }
  return codes;
}

template <class T>
Matrix<T> all_rows(const CodeStore<T>& codes) {
  Matrix<T> rows(codes.rows(), codes.cols());
  codes.read(0, rows.view());
  return rows;
}

}  // namespace dualdict
