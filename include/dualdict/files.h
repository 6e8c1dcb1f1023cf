// SPDX-License-Identifier: BSD-3-Clause
// Writing results: whole files or nothing.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "dualdict/export.h"
#include "dualdict/matrix.h"

namespace dualdict {

// Formats of a matrix file that is written.
enum class MatrixFormat {
  kNpy,  // (n, m), C order
  kCsr,  // npz with data, indices, indptr, shape, format: scipy.sparse.load_npz reads it
};

// Writes rows as they come, in constant memory, and makes the file visible only when finish() succeeds: without it, or
// when a write fails (Error(kWrite)), what was at `path` before stays. The path "-" is standard output (npy only).
class DUALDICT_API MatrixWriter {
 public:
  MatrixWriter(const std::string& path, MatrixFormat format, DType dtype, std::size_t rows, std::size_t cols);
  ~MatrixWriter();
  void append(MatrixView<const float> rows);
  void append(MatrixView<const double> rows);
  // All `rows` must have been appended.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes text (a report, a trace) durably as a whole.
DUALDICT_API void write_text_file(const std::string& path, const std::string& text);

// Writes a grey image, values clamped to 0..255, as PNG, durably.
DUALDICT_API void write_grey_png(const std::string& path, MatrixView<const float> pixels);

}  // namespace dualdict
