// SPDX-License-Identifier: BSD-3-Clause
// Rows through a command in constant memory.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
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
  if (all_finite(block)) return;
  std::size_t count = 0, row = 0, column = 0;
  for (std::size_t i = block.rows; i-- > 0;)
    for (std::size_t j = block.cols; j-- > 0;)
      if (!std::isfinite(block(i, j))) ++count, row = i, column = j;
  throw Error(ErrorKind::kInput, name + ": " + std::to_string(count) + " values in rows " + std::to_string(first_row) +
                                     " to " + std::to_string(first_row + block.rows - 1) +
                                     " are NaN or infinite, the first at row " + std::to_string(first_row + row) +
                                     ", column " + std::to_string(column) +
                                     " (counted from 0); every value must be finite");
}

// Rows at a time: few enough for a block to stay in the cache until it is written, many enough for some threads.
inline std::size_t block_rows_for(std::size_t n_rows, std::size_t row_bytes) {
  constexpr std::size_t kBlockBytes = std::size_t{6} << 20;
  const std::size_t most = std::clamp<std::size_t>(kBlockBytes / std::max<std::size_t>(row_bytes, 1), 1, kBlockRows);
  return std::clamp<std::size_t>(n_rows, 1, most);
}

// Reads and checks the source block by block, turns each block of n x d into n x cols by `work(in, out)`, and writes
// them. The next block is read and the one before is written meanwhile.
template <class T, class Work>
void transform_rows(const DataSource& source, std::size_t cols, MatrixWriter& writer, const Work& work) {
  const std::size_t n_rows = source.n_samples();
  const std::size_t block_rows = block_rows_for(n_rows, sizeof(T) * (source.n_features() + cols));
  std::array<Matrix<T>, 2> in, out;
  for (Matrix<T>& block : in) block = Matrix<T>(block_rows, source.n_features());
  for (Matrix<T>& block : out) block = Matrix<T>(block_rows, cols);
  const auto part = [&](Matrix<T>& block, std::size_t first) {
    return block.view().row_range(0, std::min(block_rows, n_rows - first));
  };
  // Declared last: when something throws they are waited for before the blocks go.
  std::future<void> reading, writing;
  const auto read = [&](std::size_t first, Matrix<T>& block) {
    return std::async(std::launch::async, [&, first] {
      source.read(first, part(block, first));
      require_finite<T>(part(block, first), source.name(), first);
    });
  };
  if (n_rows > 0) reading = read(0, in[0]);
  for (std::size_t first = 0, k = 0; first < n_rows; first += block_rows, k = 1 - k) {
    throw_if_interrupted();
    reading.get();
    if (first + block_rows < n_rows) reading = read(first + block_rows, in[1 - k]);
    const MatrixView<const T> rows = part(in[k], first);
    const MatrixView<T> results = part(out[k], first);
    work(rows, results);
    if (writing.valid()) writing.get();
    writing = std::async(std::launch::async, [&writer, results] { writer.append(MatrixView<const T>(results)); });
  }
  if (writing.valid()) writing.get();
  throw_if_interrupted();
  writer.finish();
}

}  // namespace dualdict::cli
