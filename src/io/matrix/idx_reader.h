// SPDX-License-Identifier: BSD-3-Clause
// IDX, the format of the MNIST digits, plain or compressed by gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "io/bytes/byte_source.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {

// Whether these first bytes can start an IDX file.
bool is_idx(std::span<const std::byte> start);

std::unique_ptr<MatrixFile> read_idx(std::shared_ptr<const ByteSource> bytes);
// Decompressed into memory, never beyond the size its header declares.
std::unique_ptr<MatrixFile> read_idx_gz(std::shared_ptr<const ByteSource> bytes);

}  // namespace dualdict
