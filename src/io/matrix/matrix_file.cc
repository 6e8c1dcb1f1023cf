// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/matrix_file.h"

#include <algorithm>

#include "dualdict/error.h"
#include "io/bytes/input_error.h"

namespace dualdict {

void MatrixFile::check_range(std::size_t first, std::size_t rows, std::size_t cols) const {
  if (cols != info_.cols)
    throw Error(ErrorKind::kUsage, name_ + ": rows of " + std::to_string(cols) + " columns asked for, they have " +
                                       std::to_string(info_.cols));
  if (first > info_.rows || rows > info_.rows - first)
    throw Error(ErrorKind::kUsage, name_ + ": " + std::to_string(rows) + " rows from row " + std::to_string(first) +
                                       " asked for, there are " + std::to_string(info_.rows));
}

DenseMatrixFile::DenseMatrixFile(std::shared_ptr<const ByteSource> bytes, std::uint64_t offset, ElementFormat format,
                                 const MatrixInfo& info)
    : MatrixFile(bytes->name(), info), bytes_(std::move(bytes)), offset_(offset), format_(format) {}

template <class T>
void DenseMatrixFile::read_rows(std::size_t first, MatrixView<T> out) const {
  check_range(first, out.rows, out.cols);
  const std::uint64_t start = std::uint64_t{first} * out.cols;
  if (out.stride == out.cols) {
    read_run(start, out.size(), out.data);
  } else {
    for (std::size_t i = 0; i < out.rows; ++i) read_run(start + std::uint64_t{i} * out.cols, out.cols, out.row(i));
  }
}

template <class T>
void DenseMatrixFile::read_run(std::uint64_t first_element, std::size_t n, T* to) const {
  constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
  const std::size_t size = element_size(format_.scalar);
  const std::uint64_t start = offset_ + first_element * size;
  if (const auto memory = bytes_->in_memory(); !memory.empty()) {
    convert_elements(format_, memory.data() + start, n, to);
    return;
  }
  if (is_native<T>(format_)) {
    bytes_->read(start, std::as_writable_bytes(std::span<T>(to, n)));
    return;
  }
  const std::size_t per_chunk = kChunkBytes / size;
  std::vector<std::byte> buffer(std::min(n, per_chunk) * size);
  for (std::size_t done = 0; done < n; done += per_chunk) {
    const std::size_t count = std::min(per_chunk, n - done);
    bytes_->read(start + std::uint64_t{done} * size, std::span<std::byte>(buffer).first(count * size));
    convert_elements(format_, buffer.data(), count, to + done);
  }
}

void DenseMatrixFile::read(std::size_t first, MatrixView<float> out) const {
  read_rows(first, out);
}
void DenseMatrixFile::read(std::size_t first, MatrixView<double> out) const {
  read_rows(first, out);
}

MatrixInfo matrix_info(const std::string& name, const std::vector<std::uint64_t>& dims, Scalar scalar) {
  const std::string shape = "shape " + shape_text(dims);
  if (dims.size() < 2)
    fail_input(name, shape + " is not a matrix: samples are rows, so two or more dimensions are needed; reshape it to" +
                         " (1, n) for one sample or (n, 1) for one feature");
  if (std::find(dims.begin(), dims.end(), 0U) != dims.end())
    fail_input(name, shape + " is empty: at least one sample and one feature are needed");
  std::vector<std::uint64_t> factors = dims;
  factors.push_back(element_size(scalar));
  // Half the range, so that an offset can be added to it and the file functions of the system can express it.
  if (const auto bytes = checked_product(factors); !bytes || *bytes > (std::uint64_t{1} << 62))
    fail_input(name, shape + " has more elements than any file can hold");
  MatrixInfo info;
  info.rows = dims[0];
  info.cols = *checked_product(std::span(dims).subspan(1));
  if (dims.size() == 3 || (dims.size() == 4 && (dims[3] == 1 || dims[3] == 3)))
    info.shape = {dims[1], dims[2], dims.size() == 4 ? dims[3] : 1};
  info.type = element_type(scalar);
  return info;
}

std::uint64_t total_bytes(const std::vector<std::uint64_t>& dims, Scalar scalar) {
  return *checked_product(dims) * element_size(scalar);
}

template void DenseMatrixFile::read_rows<float>(std::size_t, MatrixView<float>) const;
template void DenseMatrixFile::read_rows<double>(std::size_t, MatrixView<double>) const;

}  // namespace dualdict
