// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <utility>

#include "dualdict/error.h"
#include "io/bytes/element.h"
#include "io/bytes/endian.h"
#include "io/bytes/input_error.h"
#include "io/tensors/safetensors.h"

namespace dualdict {
namespace {

void store(const double* values, std::size_t n, DType dtype, std::byte* to) {
  if (dtype == DType::kFloat64) {
    if (n > 0) std::memcpy(to, values, n * sizeof(double));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<float>(values[i]);
    std::memcpy(to + i * sizeof(float), &value, sizeof(float));
  }
}

// The tensor must have `n_dims` dimensions and the bytes that they need.
void check(const Tensor& tensor, std::size_t n_dims) {
  const std::vector<std::uint64_t> dims(tensor.shape.begin(), tensor.shape.end());
  const std::string what = "tensor " + in_quotes(tensor.name);
  if (dims.size() != n_dims)
    fail_input(what, "shape " + shape_text(dims) + " should have " + std::to_string(n_dims) + " dimension(s)");
  const auto count = checked_product(dims);
  if (!count || *count != tensor.bytes.size() / size_of(tensor.dtype))
    fail_input(what,
               "shape " + shape_text(dims) + " does not fit its " + std::to_string(tensor.bytes.size()) + " bytes");
}

void load(const Tensor& tensor, std::size_t n, double* to) {
  const Scalar scalar = tensor.dtype == DType::kFloat32 ? Scalar::kFloat32 : Scalar::kFloat64;
  convert_elements({scalar, false}, tensor.bytes.data(), n, to);
}

}  // namespace

Tensor make_tensor(const std::string& name, MatrixView<const double> values, DType dtype) {
  Tensor tensor{name, dtype, {values.rows, values.cols}, {}};
  const std::size_t row_bytes = values.cols * size_of(dtype);
  tensor.bytes.resize(values.rows * row_bytes);
  for (std::size_t i = 0; i < values.rows; ++i)
    store(values.row(i), values.cols, dtype, tensor.bytes.data() + i * row_bytes);
  return tensor;
}

Tensor make_tensor(const std::string& name, std::span<const double> values, DType dtype) {
  Tensor tensor{name, dtype, {values.size()}, {}};
  tensor.bytes.resize(values.size() * size_of(dtype));
  store(values.data(), values.size(), dtype, tensor.bytes.data());
  return tensor;
}

Matrix<double> to_matrix(const Tensor& tensor) {
  check(tensor, 2);
  Matrix<double> values(tensor.shape[0], tensor.shape[1]);
  load(tensor, values.size(), values.data());
  return values;
}

std::vector<double> to_vector(const Tensor& tensor) {
  check(tensor, 1);
  std::vector<double> values(tensor.shape[0]);
  load(tensor, values.size(), values.data());
  return values;
}

const Tensor* TensorFile::find(const std::string& name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

Tensor* TensorFile::find(const std::string& name) {
  return const_cast<Tensor*>(std::as_const(*this).find(name));
}

}  // namespace dualdict
