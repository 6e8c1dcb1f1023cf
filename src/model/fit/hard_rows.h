// SPDX-License-Identifier: BSD-3-Clause
// The samples that hard codes are learned from, row by row in any order, in coordinates where their mean is zero and
// their mean square 1 per feature: every rate and threshold of learning is meant there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/random.h"
#include "core/thread_pool.h"
#include "dualdict/matrix.h"

namespace dualdict {

// Rows may be read by several threads at once.
struct HardRows {
  std::size_t n = 0;
  std::size_t n_features = 0;
  std::function<void(std::size_t row, float* out)> read;
};

// x -> (x - mean) scale. Samples that are all the same have scale 0.
struct Standard {
  std::vector<double> mean;
  double scale = 0;
};
// Of at most kStandardRows rows, evenly spread.
inline constexpr std::size_t kStandardRows = 50000;
template <class T>
Standard standard_of(MatrixView<const T> samples);

// The rows of `samples`, which outlive it, in those coordinates.
template <class T>
HardRows standard_rows(MatrixView<const T> samples, const Standard& standard);
// Some of the rows of another.
HardRows chosen_rows(const HardRows& rows, std::vector<std::size_t> which);

// Every row once in random order, and again in another. Where it stands is one number, so that it can be taken up.
class RowOrder {
 public:
  RowOrder(std::size_t n, std::uint64_t seed, std::uint64_t stream, std::size_t n_drawn = 0)
      : n_(n), seed_(seed), stream_(stream), n_drawn_(n_drawn) {}
  std::size_t next();
  std::size_t n_drawn() const { return n_drawn_; }

 private:
  std::size_t n_;
  std::uint64_t seed_, stream_;
  std::size_t n_drawn_;
  std::vector<std::size_t> order_;  // of the pass that the next row is of
};

// The next rows of the order into all of `block`; `drawn` is scratch.
void read_block(const HardRows& rows, RowOrder& order, ThreadPool& pool, std::vector<std::size_t>& drawn,
                Matrix<float>& block);
// All rows.
Matrix<float> read_all(const HardRows& rows, ThreadPool& pool);

}  // namespace dualdict
