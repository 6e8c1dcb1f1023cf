// SPDX-License-Identifier: BSD-3-Clause
// Opens a matrix file of any known format.
#pragma once

#include <memory>
#include <string>

#include "io/bytes/byte_source.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {

// The format is known by the content, not by the ending. "-" is standard input. Throws Error(kInput).
std::unique_ptr<MatrixFile> open_matrix(const std::string& path);
std::unique_ptr<MatrixFile> open_matrix(std::shared_ptr<const ByteSource> bytes);

}  // namespace dualdict
