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
  // The same with numbers in half precision (float16); one that is too large for it is an error.
  kNpyHalf,
  kCsrHalf,
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

// Keeps others off an output while it is made: as long as it lives, a second one for the same file, in this or another
// process, throws Error(kWrite). A small hidden file beside the output stands for it; one that a killed process left
// behind locks nothing. Devices, pipes, "-" and file systems without locks are not locked.
class DUALDICT_API OutputLock {
 public:
  explicit OutputLock(const std::string& path);
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&&) = delete;

 private:
  std::string lock_path_;
  int descriptor_ = -1;
};

// Writes text (a report, a trace) durably as a whole.
DUALDICT_API void write_text_file(const std::string& path, const std::string& text);

// Writes a grey image, values clamped to 0..255, as PNG, durably; "-" is standard output.
DUALDICT_API void write_grey_png(const std::string& path, MatrixView<const float> pixels);

}  // namespace dualdict
