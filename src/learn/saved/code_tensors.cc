// SPDX-License-Identifier: BSD-3-Clause
#include "learn/saved/code_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

constexpr const char* kCounts = "codes.counts";
constexpr const char* kColumns = "codes.columns";
constexpr const char* kValues = "codes.values";

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
void add_codes(TensorFile& file, const CodeStore<T>& codes) {
  const std::size_t total = codes.n_nonzeros();
  TensorFiller<float> counts(kCounts, codes.rows());
  TensorFiller<float> columns(kColumns, total);
  TensorFiller<T> values(kValues, total);
  Matrix<T> buffer;
  SparseRows<T> nonzeros;
  for (std::size_t block = 0; block < codes.n_blocks(); ++block) {
    nonzeros.assign(codes.read_block(block, buffer));
    for (std::size_t i = 0; i < nonzeros.n_rows(); ++i)
      counts.push(static_cast<float>(nonzeros.begin[i + 1] - nonzeros.begin[i]));
    for (std::size_t e = 0; e < nonzeros.n_elements(); ++e) {
      columns.push(static_cast<float>(nonzeros.column[e]));
      values.push(nonzeros.value[e]);
    }
  }
  file.tensors.push_back(counts.take());
  file.tensors.push_back(columns.take());
  file.tensors.push_back(values.take());
}

template <class T>
void read_codes(const TensorFile& file, const std::string& path, CodeStore<T>& codes) {
  const TensorElements<float> counts(file, path, kCounts);
  const TensorElements<float> columns(file, path, kColumns);
  const TensorElements<T> values(file, path, kValues);
  if (counts.size() != codes.rows()) counts.fail("has another number of rows than this run has samples");
  if (columns.size() != values.size()) columns.fail("has another size than the values");
  Matrix<T> rows(std::min(kBlockSamples, codes.rows()), codes.cols());
  SparseRows<T> nonzeros;
  std::size_t next = 0;
  for (std::size_t block = 0; block < codes.n_blocks(); ++block) {
    std::fill_n(rows.data(), rows.size(), T{0});
    for (std::size_t i = 0; i < codes.block_size(block); ++i) {
      const std::size_t count = counts.index(codes.block_start(block) + i, codes.cols() + 1);
      if (count > columns.size() - next) counts.fail("counts more elements than there are");
      for (const std::size_t end = next + count; next < end; ++next)
        rows(i, columns.index(next, codes.cols())) = values[next];
    }
    codes.write(codes.block_start(block), std::as_const(rows).view().row_range(0, codes.block_size(block)), nonzeros);
  }
  if (next != columns.size()) counts.fail("counts fewer elements than there are");
}

template void add_codes<float>(TensorFile&, const CodeStore<float>&);
template void add_codes<double>(TensorFile&, const CodeStore<double>&);
template void read_codes<float>(const TensorFile&, const std::string&, CodeStore<float>&);
template void read_codes<double>(const TensorFile&, const std::string&, CodeStore<double>&);

}  // namespace dualdict
