// SPDX-License-Identifier: BSD-3-Clause
// Samples from matrix files, the rows of one file after those of another.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dualdict/data.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {

class MatrixSource final : public DataSource {
 public:
  // At least one file; all must have the same number of columns, or Error(kInput) names the one that has not.
  explicit MatrixSource(std::vector<std::unique_ptr<MatrixFile>> files);

  std::size_t n_samples() const override { return starts_.back(); }
  std::size_t n_features() const override { return files_.front()->info().cols; }
  // The widest of the files'.
  ElementType element_type() const override { return type_; }
  // What all files agree on, or none.
  SampleShape sample_shape() const override { return shape_; }
  std::vector<std::string> notes() const override;
  std::string name() const override;

  void read(std::size_t first, MatrixView<float> out) const override;
  void read(std::size_t first, MatrixView<double> out) const override;

 private:
  template <class T>
  void read_rows(std::size_t first, MatrixView<T> out) const;

  std::vector<std::unique_ptr<MatrixFile>> files_;
  std::vector<std::size_t> starts_;  // first sample of each file, and the total
  ElementType type_ = ElementType::kUint8;
  SampleShape shape_;
};

}  // namespace dualdict
