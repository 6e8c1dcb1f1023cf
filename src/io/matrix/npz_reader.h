// SPDX-License-Identifier: BSD-3-Clause
// npz: zip archives of npy arrays.
#pragma once

#include <memory>

#include "io/bytes/byte_source.h"
#include "io/matrix/matrix_file.h"

namespace dualdict {

// Takes the only array, or the one called X, data or arr_0 (in this order). A matrix that scipy.sparse.save_npz wrote
// in CSR form is read as such. Everything is loaded into memory.
std::unique_ptr<MatrixFile> read_npz(std::shared_ptr<const ByteSource> bytes);

}  // namespace dualdict
