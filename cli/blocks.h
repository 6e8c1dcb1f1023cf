// SPDX-License-Identifier: BSD-3-Clause
// Rows through a command in constant memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "block_pipeline.h"
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

// Rows at a time: few enough for a block to stay in its core's cache from reading to writing, many enough for a product
// to be worth its start.
inline std::size_t block_rows_for(std::size_t n_rows, std::size_t row_bytes) {
  constexpr std::size_t kRows = 256;
  constexpr std::size_t kMostBytes = std::size_t{6} << 20;
  const std::size_t most = std::clamp<std::size_t>(kMostBytes / std::max<std::size_t>(row_bytes, 1), 1, kRows);
  return std::clamp<std::size_t>(n_rows, 1, most);
}

// Turns the source block by block, n x d into n x cols, by `work(in, out)`, and writes the results. Each block is read,
// worked on and checked by one of n_threads threads, so `work` is called by several at once; it must refuse NaN and
// infinities.
template <class T, class Work>
void transform_rows(const DataSource& source, MatrixWriter& writer, std::size_t cols, std::size_t n_threads,
                    const Work& work) {
  const std::size_t n_rows = source.n_samples();
  const std::size_t block_rows = block_rows_for(n_rows, sizeof(T) * (source.n_features() + cols));
  const std::size_t n_blocks = (n_rows + block_rows - 1) / block_rows;
  n_threads = std::clamp<std::size_t>(n_threads, 1, std::max<std::size_t>(n_blocks, 1));
  std::vector<Matrix<T>> in(n_pipeline_slots(n_threads)), out(in.size());
  for (Matrix<T>& block : in) block = Matrix<T>(block_rows, source.n_features());
  for (Matrix<T>& block : out) block = Matrix<T>(block_rows, cols);
  const auto part = [&](Matrix<T>& slot, std::size_t block) {
    return slot.view().row_range(0, std::min(block_rows, n_rows - block * block_rows));
  };
  const auto make = [&](std::size_t block, std::size_t slot) {
    throw_if_interrupted();
    const MatrixView<T> rows = part(in[slot], block);
    source.read(block * block_rows, rows);
    try {
      work(MatrixView<const T>(rows), part(out[slot], block));
    } catch (const Error&) {
      require_finite<T>(rows, source.name(), block * block_rows);
      throw;
    }
  };
  const auto write = [&](std::size_t block, std::size_t slot) {
    writer.append(MatrixView<const T>(part(out[slot], block)));
  };
  run_pipeline(n_blocks, n_threads, {make, write});
  throw_if_interrupted();
  writer.finish();
}

}  // namespace dualdict::cli
