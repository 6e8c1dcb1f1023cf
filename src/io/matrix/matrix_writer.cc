// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/finite.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "io/bytes/durable_file.h"
#include "io/bytes/half.h"
#include "io/matrix/npy_header.h"
#include "io/zip/zip_writer.h"

namespace dualdict {
namespace {

// A number as it stands in the file.
struct Half16 {
  std::uint16_t bits;
};

template <class Stored, class T>
Stored stored(T value) {
  if constexpr (std::is_same_v<Stored, Half16>)
    return {float_to_half(static_cast<float>(value))};
  else
    return static_cast<Stored>(value);
}

// Receives rows in the precision that they were computed in.
template <class T>
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void append(MatrixView<const T> rows) = 0;
  virtual void finish() = 0;
};

template <class T>
std::string_view descr_of() {
  if constexpr (std::is_same_v<T, Half16>) return "<f2";
  if constexpr (std::is_same_v<T, float>) return "<f4";
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, std::int32_t>) return "<i4";
  if constexpr (std::is_same_v<T, std::int64_t>) return "<i8";
}

template <class T, class Stored = T>
class NpySink final : public RowSink<T> {
 public:
  NpySink(std::unique_ptr<ByteSink> sink, std::size_t rows, std::size_t cols) : sink_(std::move(sink)) {
    const std::string header = make_npy_header(descr_of<Stored>(), {rows, cols});
    sink_->reserve(header.size() + std::uint64_t{rows} * cols * sizeof(Stored));
    append_text(*sink_, header);
  }
  void append(MatrixView<const T> rows) override {
    if constexpr (!std::is_same_v<Stored, T>) return append_stored(rows);
    if (rows.stride == rows.cols) return append_elements(*sink_, std::span<const T>(rows.data, rows.size()));
    for (std::size_t i = 0; i < rows.rows; ++i) append_elements(*sink_, std::span<const T>(rows.row(i), rows.cols));
  }
  void finish() override { sink_->commit(); }

 private:
  void append_stored(MatrixView<const T> rows) {
    std::vector<Stored> row(rows.cols);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < rows.cols; ++j) row[j] = stored<Stored>(rows(i, j));
      append_elements(*sink_, std::span<const Stored>(row));
    }
  }
  std::unique_ptr<ByteSink> sink_;
};

// The nonzeros are kept until their number is known.
template <class T, class Stored = T>
class CsrSink final : public RowSink<T> {
 public:
  CsrSink(const std::string& path, std::size_t rows, std::size_t cols) : file_(path), rows_(rows), cols_(cols) {}

  void append(MatrixView<const T> rows) override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < rows.cols; ++j) {
        if (rows(i, j) == T{0}) continue;
        values_.push_back(stored<Stored>(rows(i, j)));
        columns_.push_back(static_cast<std::int32_t>(j));
      }
      starts_.push_back(static_cast<std::int64_t>(values_.size()));
    }
  }

  void finish() override {
    ZipWriter zip(file_);
    add<Stored>(zip, "data.npy", values_);
    add<std::int32_t>(zip, "indices.npy", columns_);
    // SciPy wants both index arrays of one type and would convert them otherwise.
    if (values_.size() <= std::numeric_limits<std::int32_t>::max()) {
      const std::vector<std::int32_t> starts(starts_.begin(), starts_.end());
      add<std::int32_t>(zip, "indptr.npy", starts);
    } else {
      add<std::int64_t>(zip, "indptr.npy", starts_);
    }
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(cols_)};
    add<std::int64_t>(zip, "shape.npy", shape);
    const std::string format = make_npy_header("|S3", {}) + "csr";
    zip.add("format.npy", {std::as_bytes(std::span<const char>(format))});
    zip.finish();
    file_.commit();
  }

 private:
  template <class Element>
  static void add(ZipWriter& zip, const std::string& name, const std::vector<Element>& elements) {
    const std::string header = make_npy_header(descr_of<Element>(), {elements.size()});
    zip.add(name, {std::as_bytes(std::span<const char>(header)), std::as_bytes(std::span<const Element>(elements))});
  }

  DurableFile file_;
  std::size_t rows_;
  std::size_t cols_;
  std::vector<Stored> values_;
  std::vector<std::int32_t> columns_;
  std::vector<std::int64_t> starts_{0};
};

template <class T>
std::unique_ptr<RowSink<T>> open_rows(const std::string& path, MatrixFormat format, std::size_t rows,
                                      std::size_t cols) {
  if (format == MatrixFormat::kCsr) return std::make_unique<CsrSink<T>>(path, rows, cols);
  if (format == MatrixFormat::kCsrHalf) return std::make_unique<CsrSink<T, Half16>>(path, rows, cols);
  auto sink = path == "-" ? open_standard_output() : std::make_unique<DurableFile>(path);
  if (format == MatrixFormat::kNpyHalf) return std::make_unique<NpySink<T, Half16>>(std::move(sink), rows, cols);
  return std::make_unique<NpySink<T>>(std::move(sink), rows, cols);
}

}  // namespace

struct MatrixWriter::Impl {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t done = 0;
  bool is_half = false;
  std::unique_ptr<RowSink<float>> floats;
  std::unique_ptr<RowSink<double>> doubles;

  template <class T>
  void append_to(RowSink<T>& sink, MatrixView<const T> block) {
    const NonFinite bad = find_non_finite(block);
    if (bad.count > 0)
      throw Error(ErrorKind::kNumerical, name + ": the value at row " + std::to_string(done + bad.row) + ", column " +
                                             std::to_string(bad.column) +
                                             " is NaN or infinite in the precision of the file; nothing is written");
    if (is_half) require_half(block);
    sink.append(block);
    done += block.rows;
  }

  template <class T>
  void require_half(MatrixView<const T> block) const {
    constexpr double kLargest = 65504;
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j)
        if (std::abs(static_cast<double>(block(i, j))) > kLargest)
          throw Error(ErrorKind::kNumerical, name + ": the value at row " + std::to_string(done + i) + ", column " +
                                                 std::to_string(j) + " is larger than 65504, the largest in half " +
                                                 "precision; leave that out. Nothing is written");
  }

  template <class To, class From>
  void convert_into(RowSink<To>& sink, MatrixView<const From> block) {
    if constexpr (std::is_same_v<To, From>) {
      append_to(sink, block);
    } else {
      std::vector<To> row(cols);
      for (std::size_t i = 0; i < block.rows; ++i) {
        std::transform(block.row(i), block.row(i) + cols, row.begin(), [](From x) { return static_cast<To>(x); });
        append_to(sink, MatrixView<const To>(row.data(), 1, cols));
      }
    }
  }

  template <class T>
  void append(MatrixView<const T> block) {
    if (block.cols != cols || block.rows > rows - done)
      throw Error(ErrorKind::kUsage, name + ": " + std::to_string(block.rows) + " x " + std::to_string(block.cols) +
                                         " values appended at row " + std::to_string(done) + " of a " +
                                         std::to_string(rows) + " x " + std::to_string(cols) + " matrix");
    if (floats) convert_into(*floats, block);
    if (doubles) convert_into(*doubles, block);
  }
};

MatrixWriter::MatrixWriter(const std::string& path, MatrixFormat format, DType dtype, std::size_t rows,
                           std::size_t cols)
    : impl_(std::make_unique<Impl>()) {
  const bool is_sparse = format == MatrixFormat::kCsr || format == MatrixFormat::kCsrHalf;
  if (is_sparse && path == "-")
    throw Error(ErrorKind::kUsage, "standard output: a sparse matrix needs a file; name one instead of -");
  if (is_sparse && cols > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::kUsage, path + ": " + std::to_string(cols) + " columns are too many for a sparse file");
  impl_->name = path == "-" ? "standard output" : path;
  impl_->is_half = format == MatrixFormat::kNpyHalf || format == MatrixFormat::kCsrHalf;
  impl_->rows = rows;
  impl_->cols = cols;
  if (dtype == DType::kFloat32) impl_->floats = open_rows<float>(path, format, rows, cols);
  if (dtype == DType::kFloat64) impl_->doubles = open_rows<double>(path, format, rows, cols);
}

MatrixWriter::~MatrixWriter() = default;

void MatrixWriter::append(MatrixView<const float> rows) {
  impl_->append(rows);
}
void MatrixWriter::append(MatrixView<const double> rows) {
  impl_->append(rows);
}

void MatrixWriter::finish() {
  if (impl_->done != impl_->rows)
    throw Error(ErrorKind::kUsage, impl_->name + ": finished after " + std::to_string(impl_->done) + " of " +
                                       std::to_string(impl_->rows) + " rows");
  if (impl_->floats) impl_->floats->finish();
  if (impl_->doubles) impl_->doubles->finish();
}

}  // namespace dualdict
