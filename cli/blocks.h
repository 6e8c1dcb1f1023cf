// SPDX-License-Identifier: BSD-3-Clause
// Rows through a command in constant memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "dualdict/data.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "signals.h"

namespace dualdict::cli {

constexpr std::size_t kBlockRows = 8192;

// The row in the message is the row in the file, which whoever works on a block cannot know.
template <class T>
void require_finite(MatrixView<const T> block, const std::string& name, std::size_t first_row) {
  std::size_t count = 0, row = 0, column = 0;
  for (std::size_t i = block.rows; i-- > 0;)
    for (std::size_t j = block.cols; j-- > 0;)
      if (!std::isfinite(block(i, j))) ++count, row = i, column = j;
  if (count == 0) return;
  throw Error(ErrorKind::kInput, name + ": " + std::to_string(count) + " values in rows " + std::to_string(first_row) +
                                     " to " + std::to_string(first_row + block.rows - 1) +
                                     " are NaN or infinite, the first at row " + std::to_string(first_row + row) +
                                     ", column " + std::to_string(column) +
                                     " (counted from 0); every value must be finite");
}

// Reads the source block by block, turns each block of n x d into n x cols by `work(in, out)`, and writes them.
template <class T, class Work>
void transform_rows(const DataSource& source, std::size_t cols, MatrixWriter& writer, const Work& work) {
  const std::size_t block_rows = std::min(kBlockRows, std::max<std::size_t>(source.n_samples(), 1));
  Matrix<T> in(block_rows, source.n_features());
  Matrix<T> out(block_rows, cols);
  for (std::size_t first = 0; first < source.n_samples(); first += block_rows) {
    throw_if_interrupted();
    const std::size_t n = std::min(block_rows, source.n_samples() - first);
    const MatrixView<T> rows = in.view().row_range(0, n);
    const MatrixView<T> results = out.view().row_range(0, n);
    source.read(first, rows);
    require_finite(MatrixView<const T>(rows), source.name(), first);
    work(MatrixView<const T>(rows), results);
    writer.append(MatrixView<const T>(results));
  }
  throw_if_interrupted();
  writer.finish();
}

}  // namespace dualdict::cli
