// SPDX-License-Identifier: BSD-3-Clause
#include "model/fit/hard_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dualdict {
namespace {

constexpr std::size_t kReadRows = 128;  // that a thread reads at a time

template <class Row>
void read_rows(const HardRows& rows, ThreadPool& pool, const Row& row, Matrix<float>& out) {
  pool.run((out.rows() + kReadRows - 1) / kReadRows, [&](std::size_t part, std::size_t) {
    for (std::size_t i = part * kReadRows; i < std::min(out.rows(), (part + 1) * kReadRows); ++i)
      rows.read(row(i), out.row(i));
  });
}

}  // namespace

template <class T>
Standard standard_of(MatrixView<const T> samples) {
  Standard standard;
  const std::size_t d = samples.cols;
  const std::size_t n = std::min(samples.rows, kStandardRows);
  standard.mean.assign(d, 0.0);
  if (n == 0) return standard;
  const auto row = [&](std::size_t i) { return samples.row(i * samples.rows / n); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < d; ++f) standard.mean[f] += static_cast<double>(row(i)[f]) / static_cast<double>(n);
  double mean_square = 0, squared_mean = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t f = 0; f < d; ++f) {
      const double value = static_cast<double>(row(i)[f]) - standard.mean[f];
      mean_square += value * value / static_cast<double>(n);
    }
  for (const double value : standard.mean) squared_mean += value * value;
  // Below that, what is left of equal samples is rounding.
  constexpr double kRounding = 1e-26;
  if (mean_square > kRounding * squared_mean) standard.scale = std::sqrt(static_cast<double>(d) / mean_square);
  return standard;
}

template <class T>
HardRows standard_rows(MatrixView<const T> samples, const Standard& standard) {
  return {samples.rows, samples.cols, [samples, standard](std::size_t row, float* out) {
            const T* x = samples.row(row);
            for (std::size_t f = 0; f < samples.cols; ++f)
              out[f] = static_cast<float>((static_cast<double>(x[f]) - standard.mean[f]) * standard.scale);
          }};
}

HardRows chosen_rows(const HardRows& rows, std::vector<std::size_t> which) {
  const std::size_t n = which.size();
  return {n, rows.n_features,
          [read = rows.read, chosen = std::move(which)](std::size_t row, float* out) { read(chosen[row], out); }};
}

std::size_t RowOrder::next() {
  constexpr unsigned kPassBits = 16;  // streams of one pass are fewer
  if (order_.empty() || n_drawn_ % n_ == 0)
    order_ = Random(seed_, stream_ + ((n_drawn_ / n_) << kPassBits)).permutation(n_);
  return order_[n_drawn_++ % n_];
}

void read_block(const HardRows& rows, RowOrder& order, ThreadPool& pool, std::vector<std::size_t>& drawn,
                Matrix<float>& block) {
  drawn.resize(block.rows());
  for (std::size_t& row : drawn) row = order.next();
  read_rows(
      rows, pool, [&](std::size_t i) { return drawn[i]; }, block);
}

Matrix<float> read_all(const HardRows& rows, ThreadPool& pool) {
  Matrix<float> all(rows.n, rows.n_features);
  read_rows(
      rows, pool, [](std::size_t i) { return i; }, all);
  return all;
}

template Standard standard_of<float>(MatrixView<const float>);
template Standard standard_of<double>(MatrixView<const double>);
template HardRows standard_rows<float>(MatrixView<const float>, const Standard&);
template HardRows standard_rows<double>(MatrixView<const double>, const Standard&);

}  // namespace dualdict
