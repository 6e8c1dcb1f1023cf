// SPDX-License-Identifier: BSD-3-Clause
#include "learn/sparse_tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "io/input_error.h"

namespace dualdict {
namespace {

template <class T>
bool is_stored(T value) {
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(value) != 0;
}

// A tensor of one dimension that is filled from its start.
template <class T>
class TensorFiller {
 public:
  TensorFiller(const std::string& name, std::size_t size) {
    tensor_ = {name, std::is_same_v<T, float> ? DType::kFloat32 : DType::kFloat64, {size}, {}};
    tensor_.bytes.resize(size * sizeof(T));
  }
  void push(T value) {
    std::memcpy(tensor_.bytes.data() + used_, &value, sizeof(T));
    used_ += sizeof(T);
  }
  Tensor&& take() { return std::move(tensor_); }

 private:
  Tensor tensor_;
  std::size_t used_ = 0;
};

// The elements of a tensor of one dimension and precision T.
template <class T>
class TensorElements {
 public:
  TensorElements(const TensorFile& file, const std::string& path, const std::string& name) : path_(path), name_(name) {
    tensor_ = file.find(name);
    if (tensor_ == nullptr) fail("is missing");
    if (tensor_->dtype != (std::is_same_v<T, float> ? DType::kFloat32 : DType::kFloat64) || tensor_->shape.size() != 1)
      fail("has another precision or shape than this run needs");
  }
  std::size_t size() const { return tensor_->shape[0]; }
  T operator[](std::size_t i) const {
    T value;
    std::memcpy(&value, tensor_->bytes.data() + i * sizeof(T), sizeof(T));
    if (!std::isfinite(value)) fail("holds NaN or an infinite number");
    return value;
  }
  // Element i as a whole number below `limit`.
  std::size_t index(std::size_t i, std::size_t limit) const {
    const auto value = static_cast<double>((*this)[i]);
    if (!(value >= 0 && value < static_cast<double>(limit)) || std::floor(value) != value)
      fail("holds a number out of range");
    return static_cast<std::size_t>(value);
  }
  [[noreturn]] void fail(const std::string& rule) const {
    fail_input(path_, "tensor " + in_quotes(name_) + " " + rule);
  }

 private:
  const std::string& path_;
  const std::string name_;
  const Tensor* tensor_;
};

}  // namespace

template <class T>
void add_sparse_rows(TensorFile& file, const std::string& name, MatrixView<const T> rows) {
  TensorFiller<float> counts(name + ".counts", rows.rows);
  std::size_t total = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const auto count = static_cast<std::size_t>(std::count_if(rows.row(i), rows.row(i) + rows.cols, is_stored<T>));
    counts.push(static_cast<float>(count));
    total += count;
  }
  TensorFiller<float> columns(name + ".columns", total);
  TensorFiller<T> values(name + ".values", total);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) {
      if (!is_stored(rows(i, j))) continue;
      columns.push(static_cast<float>(j));
      values.push(rows(i, j));
    }
  file.tensors.push_back(counts.take());
  file.tensors.push_back(columns.take());
  file.tensors.push_back(values.take());
}

template <class T>
void read_sparse_rows(const TensorFile& file, const std::string& path, const std::string& name, MatrixView<T> rows) {
  const TensorElements<float> counts(file, path, name + ".counts");
  const TensorElements<float> columns(file, path, name + ".columns");
  const TensorElements<T> values(file, path, name + ".values");
  if (counts.size() != rows.rows) counts.fail("has another number of rows than this run has samples");
  if (columns.size() != values.size()) columns.fail("has another size than the values");
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::fill_n(rows.row(i), rows.cols, T{0});
    const std::size_t count = counts.index(i, rows.cols + 1);
    if (count > columns.size() - next) counts.fail("counts more elements than there are");
    for (const std::size_t end = next + count; next < end; ++next)
      rows(i, columns.index(next, rows.cols)) = values[next];
  }
  if (next != columns.size()) counts.fail("counts fewer elements than there are");
}

template void add_sparse_rows<float>(TensorFile&, const std::string&, MatrixView<const float>);
template void add_sparse_rows<double>(TensorFile&, const std::string&, MatrixView<const double>);
template void read_sparse_rows<float>(const TensorFile&, const std::string&, const std::string&, MatrixView<float>);
template void read_sparse_rows<double>(const TensorFile&, const std::string&, const std::string&, MatrixView<double>);

}  // namespace dualdict
