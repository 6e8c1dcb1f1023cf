// SPDX-License-Identifier: BSD-3-Clause
// Numbers in text: separated by commas, semicolons, tabs or blanks, with or without a header line.
#pragma once

#include <memory>

#include "io/bytes/byte_source.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {

// The first line is a header when none of its fields is a number. Empty lines and those that start with # are skipped.
// Errors name line and column.
std::unique_ptr<MatrixFile> read_csv(std::shared_ptr<const ByteSource> bytes);

}  // namespace dualdict
