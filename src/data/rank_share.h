// SPDX-License-Identifier: BSD-3-Clause
// The part of a stream that one rank reads: of every piece of so many samples its share, so that the pieces of all
// ranks together are those that one process would read.
#pragma once

#include <algorithm>
#include <cstddef>

#include "dualdict/stream.h"

namespace dualdict {

class RankShare final : public SampleStream {
 public:
  RankShare(SampleStream& all, std::size_t piece, std::size_t rank, std::size_t n_ranks)
      : all_(all), piece_(piece), first_(piece * rank / n_ranks), last_(piece * (rank + 1) / n_ranks) {}

  // Where the share begins in a piece, and how many samples it has.
  std::size_t first() const { return first_; }
  std::size_t size() const { return last_ - first_; }

  std::size_t n_features() const override { return all_.n_features(); }
  SampleShape sample_shape() const override { return all_.sample_shape(); }
  std::string name() const override { return all_.name(); }
  std::optional<std::size_t> n_samples() const override { return all_.n_samples(); }
  std::size_t read(MatrixView<float> out) override { return read_rows(out); }
  std::size_t read(MatrixView<double> out) override { return read_rows(out); }
  bool rewind() override {
    at_ = 0;
    return all_.rewind();
  }
  void cancel() override { all_.cancel(); }
  // Whole pieces of all ranks.
  std::size_t skip(std::size_t count) override { return all_.skip(count); }

 private:
  template <class T>
  std::size_t read_rows(MatrixView<T> out) {
    if (at_ == last_) to_next_piece();
    if (at_ < first_) at_ += all_.skip(first_ - at_);
    if (at_ < first_) return 0;
    const std::size_t n = all_.read(out.row_range(0, std::min(out.rows, last_ - at_)));
    at_ += n;
    return n;
  }
  void to_next_piece() {
    all_.skip(piece_ - last_);
    at_ = 0;
  }

  SampleStream& all_;
  std::size_t piece_;
  std::size_t first_, last_;
  std::size_t at_ = 0;  // in the piece
};

}  // namespace dualdict
