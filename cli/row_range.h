// SPDX-License-Identifier: BSD-3-Clause
// Some consecutive samples of a source, as a source.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "dualdict/data.h"

namespace dualdict::cli {

class RowRange final : public DataSource {
 public:
  // The source must outlive the range, first + count <= source.n_samples(). It may go by another name.
  RowRange(const DataSource& source, std::size_t first, std::size_t count, std::string name)
      : source_(source), first_(first), count_(count), name_(std::move(name)) {}
  RowRange(const DataSource& source, std::size_t first, std::size_t count)
      : RowRange(source, first, count, source.name()) {}

  std::size_t n_samples() const override { return count_; }
  std::size_t n_features() const override { return source_.n_features(); }
  ElementType element_type() const override { return source_.element_type(); }
  SampleShape sample_shape() const override { return source_.sample_shape(); }
  std::string name() const override { return name_; }
  std::vector<std::string> notes() const override { return source_.notes(); }
  void read(std::size_t first, MatrixView<float> out) const override { source_.read(first_ + first, out); }
  void read(std::size_t first, MatrixView<double> out) const override { source_.read(first_ + first, out); }

 private:
  const DataSource& source_;
  std::size_t first_;
  std::size_t count_;
  std::string name_;
};

}  // namespace dualdict::cli
