// SPDX-License-Identifier: BSD-3-Clause
// Matrices in memory as sources.
#include <algorithm>
#include <string>
#include <utility>

#include "dualdict/data.h"
#include "dualdict/error.h"

namespace dualdict {
namespace {

template <class T>
class MemorySource final : public DataSource {
 public:
  MemorySource(Matrix<T> owned, SampleShape shape) : owned_(std::move(owned)), samples_(owned_), shape_(shape) {
    check();
  }
  MemorySource(MatrixView<const T> samples, SampleShape shape) : samples_(samples), shape_(shape) { check(); }

  std::size_t n_samples() const override { return samples_.rows; }
  std::size_t n_features() const override { return samples_.cols; }
  ElementType element_type() const override {
    return sizeof(T) == sizeof(float) ? ElementType::kFloat32 : ElementType::kFloat64;
  }
  SampleShape sample_shape() const override { return shape_; }
  std::string name() const override { return "matrix"; }
  void read(std::size_t first, MatrixView<float> out) const override { copy_rows(first, out); }
  void read(std::size_t first, MatrixView<double> out) const override { copy_rows(first, out); }

 private:
  std::string size_text() const { return std::to_string(samples_.rows) + " x " + std::to_string(samples_.cols); }

  void check() const {
    if (samples_.empty())
      throw Error(ErrorKind::kInput,
                  "matrix: " + size_text() + " is empty: at least one sample and one feature are needed");
    if (shape_ != SampleShape{} && shape_.height * shape_.width * shape_.channels != samples_.cols)
      throw Error(ErrorKind::kInput, "matrix: a picture of " + std::to_string(shape_.height) + " x " +
                                         std::to_string(shape_.width) + " does not have the " +
                                         std::to_string(samples_.cols) + " features of a sample");
  }

  template <class To>
  void copy_rows(std::size_t first, MatrixView<To> out) const {
    if (first > samples_.rows || out.rows > samples_.rows - first || out.cols != samples_.cols)
      throw Error(ErrorKind::kUsage, "matrix: " + std::to_string(out.rows) + " x " + std::to_string(out.cols) +
                                         " values asked for from sample " + std::to_string(first) + " of " +
                                         size_text());
    for (std::size_t i = 0; i < out.rows; ++i) {
      const T* from = samples_.row(first + i);
      std::transform(from, from + out.cols, out.row(i), [](T x) { return static_cast<To>(x); });
    }
  }

  Matrix<T> owned_;
  MatrixView<const T> samples_;
  SampleShape shape_;
};

}  // namespace

std::unique_ptr<DataSource> make_source(Matrix<float> samples, SampleShape shape) {
  return std::make_unique<MemorySource<float>>(std::move(samples), shape);
}
std::unique_ptr<DataSource> make_source(Matrix<double> samples, SampleShape shape) {
  return std::make_unique<MemorySource<double>>(std::move(samples), shape);
}
std::unique_ptr<DataSource> make_source(MatrixView<const float> samples, SampleShape shape) {
  return std::make_unique<MemorySource<float>>(samples, shape);
}
std::unique_ptr<DataSource> make_source(MatrixView<const double> samples, SampleShape shape) {
  return std::make_unique<MemorySource<double>>(samples, shape);
}

}  // namespace dualdict
