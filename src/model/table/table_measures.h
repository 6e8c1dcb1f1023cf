// SPDX-License-Identifier: BSD-3-Clause
// The figures of one row of the encoding table, in double and from residuals, not from moments.
#pragma once

#include <vector>

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "model/modes/debias.h"

namespace dualdict {

// What all rows are measured against.
class TableMeasures {
 public:
  // `exact`: codes of the samples, to a gap far below what is measured; with penalty l0 greedy ones. Samples are less
  // the model's offset, `norms` their lengths before that.
  TableMeasures(const ModelParts& parts, MatrixView<const double> samples, const std::vector<double>& norms,
                Matrix<double> exact, ThreadPool& pool);

  const Matrix<double>& exact() const { return exact_; }
  // A row without speed for these codes and the decoder that goes with them.
  EncodingRow measure(const Matrix<double>& codes, const Matrix<double>& decoder) const;
  // |x - prediction| / |x| over all samples.
  double reconstruction_error(const Matrix<double>& codes, const Matrix<double>& decoder) const;

 private:
  double worst_error(const Matrix<double>& codes, const Matrix<double>& decoder) const;
  double energy(const Matrix<double>& codes) const;
  double squared_residual(MatrixView<const double> codes, const Matrix<double>& decoder) const;
  double debiased_error(const Matrix<double>& codes) const;
  double support_overlap(const Matrix<double>& codes) const;

  const ModelParts& parts_;
  MatrixView<const double> samples_;
  std::vector<double> norms_;
  Matrix<double> exact_;
  ThreadPool& pool_;
  Matrix<double> predictions_;  // C x
  double squared_samples_ = 0;
  double exact_energy_ = 0;
  Debias debias_;
};

}  // namespace dualdict
