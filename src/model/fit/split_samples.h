// SPDX-License-Identifier: BSD-3-Clause
// The samples that encoders are fitted to, a part of them held back to check the fit, and what every fitted encoder
// gets at the end.
#pragma once

#include <cstddef>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/fit/product_fit.h"

namespace dualdict {

// Samples with their exact codes, and those that check.
struct SplitSamples {
  MatrixView<const double> samples;
  MatrixView<const double> codes;
  std::size_t n_fit = 0;

  // The last quarter checks; where samples are few, all do both.
  SplitSamples(MatrixView<const double> samples_in, MatrixView<const double> codes_in);
  FitSamples fit() const { return {samples.row_range(0, n_fit), codes.row_range(0, n_fit)}; }
  // The rows of a matrix over all samples that belong to those that check.
  MatrixView<const double> check(MatrixView<const double> rows) const {
    return n_fit < rows.rows ? rows.row_range(n_fit, rows.rows - n_fit) : rows;
  }
  // Nonzeros of an exact code of those that check.
  double wanted_nonzeros() const;
};

// Thresholds for the wanted count, the decoder, and the precision of the model.
void complete(const ModelParts& parts, const SplitSamples& split, MatrixView<const double> sparse_codes,
              ThreadPool& pool, FittedEncoder& encoder);

}  // namespace dualdict
