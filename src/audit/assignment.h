// SPDX-License-Identifier: BSD-3-Clause
// The best one-to-one pairing of rows with columns.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/matrix.h"

namespace dualdict {

// The columns, all different, one for each row, with the largest sum of gains; rows <= columns. Shortest augmenting
// paths with potentials (Jonker and Volgenant 1987): at most rows^2 columns steps, far fewer where pairs are clear.
std::vector<std::size_t> best_assignment(const Matrix<float>& gains);

}  // namespace dualdict
