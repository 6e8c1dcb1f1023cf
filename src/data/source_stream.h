// SPDX-License-Identifier: BSD-3-Clause
// A source from its first sample to its last, as a stream.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "dualdict/stream.h"

namespace dualdict {

class SourceStream final : public SampleStream {
 public:
  explicit SourceStream(std::unique_ptr<DataSource> source) : source_(std::move(source)) {}

  std::size_t n_features() const override { return source_->n_features(); }
  SampleShape sample_shape() const override { return source_->sample_shape(); }
  std::string name() const override { return source_->name(); }
  std::optional<std::size_t> n_samples() const override { return source_->n_samples(); }
  std::size_t read(MatrixView<float> out) override { return read_rows(out); }
  std::size_t read(MatrixView<double> out) override { return read_rows(out); }
  std::size_t skip(std::size_t count) override {
    const std::size_t n = std::min(count, source_->n_samples() - next_);
    next_ += n;
    return n;
  }
  bool rewind() override {
    next_ = 0;
    return true;
  }

 private:
  template <class T>
  std::size_t read_rows(MatrixView<T> out) {
    const std::size_t n = std::min(out.rows, source_->n_samples() - next_);
    if (n > 0) source_->read(next_, out.row_range(0, n));
    next_ += n;
    return n;
  }

  std::unique_ptr<DataSource> source_;
  std::size_t next_ = 0;
};

}  // namespace dualdict
