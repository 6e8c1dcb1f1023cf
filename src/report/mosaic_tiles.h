// SPDX-License-Identifier: BSD-3-Clause
// The drawing behind draw_mosaic, without a Model.
#pragma once

#include <cstddef>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/matrix.h"
#include "dualdict/mosaic.h"

namespace dualdict {

// dictionary, dual: K x d. usage: K counts, or empty for the order of the rows. shape: height * width == d, or 0 x 0:
// then a square when d is one, otherwise a strip of d bars. Throws Error(kUsage).
Matrix<float> draw_tiles(const Matrix<double>& dictionary, const Matrix<double>& dual,
                         const std::vector<std::size_t>& usage, SampleShape shape, const MosaicOptions& options);

}  // namespace dualdict
