// SPDX-License-Identifier: BSD-3-Clause
// Atoms and filters as one picture.
#pragma once

#include <cstddef>

#include "dualdict/export.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

struct MosaicOptions {
  std::size_t zoom = 0;     // pixels per element; 0: as many as give a picture about 1000 pixels high
  std::size_t columns = 0;  // tiles per row; 0: near square
};

// Left the dictionary, right the dual, most used atom first, column by column as in the paper's figures; each tile is
// scaled to its own largest absolute value, zero is mid-grey. Samples that are no pictures are drawn as squares when d
// is a square number, otherwise as strips; the channels of colour pictures side by side. Values 0..255.
DUALDICT_API Matrix<float> draw_mosaic(const Model& model, const MosaicOptions& options = {});

}  // namespace dualdict
