// SPDX-License-Identifier: BSD-3-Clause
// A matrix in a file or in memory, samples in rows, read in blocks of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dualdict/data.h"
#include "io/bytes/byte_source.h"
#include "io/bytes/element.h"

namespace dualdict {

struct MatrixInfo {
  std::size_t rows = 0;
  std::size_t cols = 0;
  SampleShape shape;
  ElementType type = ElementType::kFloat64;
};

// read() may be called from several threads at once.
class MatrixFile {
 public:
  MatrixFile(std::string name, const MatrixInfo& info) : name_(std::move(name)), info_(info) {}
  virtual ~MatrixFile() = default;

  const std::string& name() const { return name_; }
  const MatrixInfo& info() const { return info_; }
  // What was made of it that its writer may not have meant, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // Rows first .. first + out.rows - 1. Throws Error(kInput) when the file has become shorter.
  virtual void read(std::size_t first, MatrixView<float> out) const = 0;
  virtual void read(std::size_t first, MatrixView<double> out) const = 0;

 protected:
  // Throws Error(kUsage) when the rows asked for are not there or the width is another.
  void check_range(std::size_t first, std::size_t rows, std::size_t cols) const;
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }

 private:
  std::string name_;
  std::vector<std::string> notes_;
  MatrixInfo info_;
};

// Elements row by row from an offset on: the caller has checked that all of them are there.
class DenseMatrixFile final : public MatrixFile {
 public:
  DenseMatrixFile(std::shared_ptr<const ByteSource> bytes, std::uint64_t offset, ElementFormat format,
                  const MatrixInfo& info);
  void read(std::size_t first, MatrixView<float> out) const override;
  void read(std::size_t first, MatrixView<double> out) const override;

 private:
  template <class T>
  void read_rows(std::size_t first, MatrixView<T> out) const;
  template <class T>
  void read_run(std::uint64_t first_element, std::size_t n, T* to) const;

  std::shared_ptr<const ByteSource> bytes_;
  std::uint64_t offset_;
  ElementFormat format_;
};

// Rows and columns of an array of shape (N, ...): every sample is the product of the other dimensions, a picture when
// there are two of them. Throws Error(kInput) for fewer than two dimensions, an empty array, or sizes that overflow.
MatrixInfo matrix_info(const std::string& name, const std::vector<std::uint64_t>& dims, Scalar scalar);

// Bytes of all elements; dims must have passed matrix_info().
std::uint64_t total_bytes(const std::vector<std::uint64_t>& dims, Scalar scalar);

}  // namespace dualdict
