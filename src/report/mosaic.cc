// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/mosaic.h"

#include "report/mosaic_tiles.h"

namespace dualdict {

Matrix<float> draw_mosaic(const Model& model, const MosaicOptions& options) {
  return draw_tiles(model.dictionary(), model.dual(), model.parts().provenance.usage, model.parts().shape, options);
}

}  // namespace dualdict
