// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/csr_reader.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "io/bytes/endian.h"
#include "io/bytes/input_error.h"
#include "io/matrix/npy_header.h"

namespace dualdict {
namespace {

// One vector of an archive: n elements of a type.
struct Vector {
  std::shared_ptr<const ByteSource> bytes;
  ElementFormat format;
  std::size_t size = 0;
  const std::byte* start = nullptr;
};

Vector open_vector(std::shared_ptr<const ByteSource> bytes) {
  const NpyHeader header = read_npy_header(*bytes);
  Vector vector{bytes, header.format};
  const std::size_t size = element_size(header.format.scalar);
  const std::uint64_t present = bytes->size() - header.data_offset;
  if (header.dims.size() != 1 || present % size != 0 || present / size != header.dims[0])
    fail_input(bytes->name(), "shape " + shape_text(header.dims) + " is not a vector of the " +
                                  std::to_string(present) + " bytes that follow");
  vector.size = header.dims[0];
  vector.start = bytes->in_memory().data() + header.data_offset;
  return vector;
}

// Vectors of positions: int32 or int64, none negative.
template <class Position>
std::vector<Position> read_positions(const std::shared_ptr<const ByteSource>& bytes) {
  const Vector vector = open_vector(bytes);
  const bool wide = vector.format.scalar == Scalar::kInt64;
  if (vector.format.big_endian || (!wide && vector.format.scalar != Scalar::kInt32))
    fail_input(bytes->name(), "is neither int32 nor int64");
  std::vector<Position> values(vector.size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t value =
        wide ? load_le<std::int64_t>(vector.start + 8 * i) : load_le<std::int32_t>(vector.start + 4 * i);
    if (value < 0) fail_input(bytes->name(), "element " + std::to_string(i) + " is negative");
    if (static_cast<std::uint64_t>(value) > std::numeric_limits<Position>::max())
      fail_input(bytes->name(), "element " + std::to_string(i) + " is above the limit of 2^32 - 1");
    values[i] = static_cast<Position>(value);
  }
  return values;
}

// The array holds one string of bytes, which is not a dtype of numbers: only its end is looked at.
bool says_csr(const ByteSource& format) {
  const auto content = format.in_memory();
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  return text.ends_with("csr") || text.ends_with(std::string_view("c\0\0\0s\0\0\0r\0\0\0", 12));
}

class CsrMatrixFile final : public MatrixFile {
 public:
  CsrMatrixFile(const std::string& name, const MatrixInfo& info, std::vector<std::uint64_t> starts,
                std::vector<std::uint32_t> columns, Vector values)
      : MatrixFile(name, info),
        starts_(std::move(starts)),
        columns_(std::move(columns)),
        values_(std::move(values)),
        value_size_(element_size(values_.format.scalar)) {}

  void read(std::size_t first, MatrixView<float> out) const override { read_rows(first, out); }
  void read(std::size_t first, MatrixView<double> out) const override { read_rows(first, out); }

 private:
  template <class T>
  void read_rows(std::size_t first, MatrixView<T> out) const {
    check_range(first, out.rows, out.cols);
    for (std::size_t i = 0; i < out.rows; ++i) {
      std::fill_n(out.row(i), out.cols, T{0});
      for (std::uint64_t k = starts_[first + i]; k < starts_[first + i + 1]; ++k) {
        T value{};
        convert_elements(values_.format, values_.start + k * value_size_, 1, &value);
        out(i, columns_[k]) += value;  // scipy sums repeated positions
      }
    }
  }

  std::vector<std::uint64_t> starts_;
  std::vector<std::uint32_t> columns_;  // half the size: a large file should not take much more room than on the disk
  Vector values_;
  std::size_t value_size_;
};

}  // namespace

std::unique_ptr<MatrixFile> read_csr(const std::string& name, const CsrArrays& arrays) {
  if (!says_csr(*arrays.format))
    fail_input(name, "holds a sparse matrix that is not in CSR form; save matrix.tocsr() instead");
  const auto dims = read_positions<std::uint64_t>(arrays.shape);
  auto starts = read_positions<std::uint64_t>(arrays.indptr);
  auto columns = read_positions<std::uint32_t>(arrays.indices);
  Vector values = open_vector(arrays.data);
  if (dims.size() != 2) fail_input(name, "shape " + shape_text(dims) + " of a sparse matrix must have two dimensions");
  const MatrixInfo info = matrix_info(name, dims, values.format.scalar);
  // The one size that the stored arrays do not bound.
  if (info.cols > std::numeric_limits<std::int32_t>::max())
    fail_input(name, std::to_string(info.cols) + " columns of a sparse matrix are above the limit of 2^31 - 1");
  if (starts.size() != info.rows + 1)
    fail_input(name, "indptr has " + std::to_string(starts.size()) + " elements, " + std::to_string(info.rows) +
                         " rows need one more than their number");
  if (columns.size() != values.size || starts.front() != 0 || starts.back() != values.size ||
      !std::is_sorted(starts.begin(), starts.end()))
    fail_input(name, "indptr, indices and data of the sparse matrix do not fit together");
  if (std::any_of(columns.begin(), columns.end(), [&](std::uint64_t column) { return column >= info.cols; }))
    fail_input(name, "a column index of the sparse matrix is not below " + std::to_string(info.cols));
  return std::make_unique<CsrMatrixFile>(name, info, std::move(starts), std::move(columns), std::move(values));
}

}  // namespace dualdict
