// SPDX-License-Identifier: BSD-3-Clause
// npy arrays as matrices.
#pragma once

#include <memory>

#include "io/bytes/byte_source.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {

// C order is read on demand; Fortran order is loaded and turned round.
std::unique_ptr<MatrixFile> read_npy(std::shared_ptr<const ByteSource> bytes);

}  // namespace dualdict
