// SPDX-License-Identifier: BSD-3-Clause
// The safetensors format: named tensors and a map of strings. The reader is strict: no overlap, no hole, no key twice.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dualdict/matrix.h"
#include "io/bytes/byte_sink.h"
#include "io/bytes/byte_source.h"

namespace dualdict {

// Bytes of one element.
constexpr std::size_t size_of(DType dtype) {
  return dtype == DType::kFloat32 ? sizeof(float) : sizeof(double);
}

struct Tensor {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;  // little-endian, C order
};

// Numbers as a tensor in the given precision, of shape [rows, cols] or [n].
Tensor make_tensor(const std::string& name, MatrixView<const double> values, DType dtype);
Tensor make_tensor(const std::string& name, std::span<const double> values, DType dtype);
// The numbers of a tensor of two dimensions or of one; throws Error(kInput) naming it when it has another number.
Matrix<double> to_matrix(const Tensor& tensor);
std::vector<double> to_vector(const Tensor& tensor);

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::vector<Tensor> tensors;

  // nullptr when there is none of that name.
  const Tensor* find(const std::string& name) const;
  Tensor* find(const std::string& name);
};

// Throws Error(kInput) naming file, tensor and rule. F32 and F64 are read as they are, F16 and BF16 as float32, I64 as
// float64. Tensors come in the order of the file.
TensorFile read_safetensors(const std::string& path);
// The bytes of such a file; a stream that does not begin like one is refused before more of it is read.
std::shared_ptr<const ByteSource> open_safetensors(const std::string& path);
TensorFile read_safetensors(const ByteSource& bytes);

// Writes durably; throws Error(kWrite). The same content gives the same bytes, whatever the order of the tensors:
// float64 first, then by name, so that every tensor is aligned to its elements.
void write_safetensors(const std::string& path, const TensorFile& file);
void write_safetensors(ByteSink& out, const TensorFile& file);

}  // namespace dualdict
