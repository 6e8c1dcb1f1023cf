// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/npy_reader.h"

#include <algorithm>
#include <cstring>

#include "io/bytes/input_error.h"
#include "io/matrix/npy_header.h"

namespace dualdict {
namespace {

// Where a feature's column starts in Fortran order, stepping through the features in C order.
class ColumnOffset {
 public:
  explicit ColumnOffset(const std::vector<std::uint64_t>& dims) : dims_(dims), index_(dims.size()), step_(dims.size()) {
    std::uint64_t step = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      step_[i] = step;
      step *= dims[i];
    }
  }

  std::uint64_t value() const { return value_; }

  void next() {
    for (std::size_t i = dims_.size(); i-- > 1;) {
      value_ += step_[i];
      if (++index_[i] < dims_[i]) return;
      value_ -= dims_[i] * step_[i];
      index_[i] = 0;
    }
  }

 private:
  const std::vector<std::uint64_t>& dims_;
  std::vector<std::uint64_t> index_;
  std::vector<std::uint64_t> step_;
  std::uint64_t value_ = 0;
};

// Elements in C order. A few rows at a time, so that the lines being written stay in the cache.
std::vector<std::byte> to_c_order(const std::byte* from, const MatrixInfo& info, const std::vector<std::uint64_t>& dims,
                                  std::size_t size) {
  constexpr std::size_t kRowsAtOnce = 64;
  std::vector<std::byte> to(info.rows * info.cols * size);
  for (std::size_t first = 0; first < info.rows; first += kRowsAtOnce) {
    const std::size_t last = std::min(info.rows, first + kRowsAtOnce);
    ColumnOffset column(dims);
    for (std::size_t j = 0; j < info.cols; ++j, column.next())
      for (std::size_t i = first; i < last; ++i)
        std::memcpy(to.data() + (i * info.cols + j) * size, from + (column.value() + i) * size, size);
  }
  return to;
}

}  // namespace

std::unique_ptr<MatrixFile> read_npy(std::shared_ptr<const ByteSource> bytes) {
  const NpyHeader header = read_npy_header(*bytes);
  const MatrixInfo info = matrix_info(bytes->name(), header.dims, header.format.scalar);
  const std::uint64_t needed = total_bytes(header.dims, header.format.scalar);
  const std::uint64_t present = bytes->size() - header.data_offset;
  if (present != needed)
    fail_input(bytes->name(), "shape " + shape_text(header.dims) + " needs " + std::to_string(needed) +
                                  " bytes of data after the header, the file has " + std::to_string(present) +
                                  (present < needed ? ": it is truncated" : ": the header does not fit the data"));
  if (!header.fortran_order)
    return std::make_unique<DenseMatrixFile>(std::move(bytes), header.data_offset, header.format, info);
  const auto loaded = load_into_memory(bytes);
  auto elements = to_c_order(loaded->in_memory().data() + header.data_offset, info, header.dims,
                             element_size(header.format.scalar));
  return std::make_unique<DenseMatrixFile>(make_memory_bytes(bytes->name(), std::move(elements)), 0, header.format,
                                           info);
}

}  // namespace dualdict
