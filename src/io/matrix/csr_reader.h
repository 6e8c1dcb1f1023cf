// SPDX-License-Identifier: BSD-3-Clause
// Sparse matrices in the compressed-row form of scipy.sparse.
#pragma once

#include <memory>
#include <string>

#include "io/bytes/byte_source.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {

// The npy arrays of the archive.
struct CsrArrays {
  std::shared_ptr<const ByteSource> format;
  std::shared_ptr<const ByteSource> shape;
  std::shared_ptr<const ByteSource> indptr;
  std::shared_ptr<const ByteSource> indices;
  std::shared_ptr<const ByteSource> data;
};

// Kept sparse in memory: rows become dense one block at a time, as they are read.
std::unique_ptr<MatrixFile> read_csr(const std::string& name, const CsrArrays& arrays);

}  // namespace dualdict
