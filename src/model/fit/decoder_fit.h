// SPDX-License-Identifier: BSD-3-Clause
// The matrix that turns the codes of a mode back into samples.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"

namespace dualdict {

// Codes of a mode, n x K, and the preprocessed samples they stand for, n x d.
struct CodedSamples {
  MatrixView<const double> codes;
  MatrixView<const double> samples;
};

// Least squares from codes to samples, pulled towards the dictionary D with one gain g for all atoms:
//   B = g D + (U'U + r I)^-1 (U'X - g U'U D),   r = .03 tr(U'U)/K,   g = <X, U D> / |U D|^2.
// An atom that few samples use is not free to take whatever they leave over. Rows are atoms.
Matrix<double> fit_decoder(const Matrix<double>& dictionary, const CodedSamples& fit, ThreadPool& pool);
// The same, unless g D decodes the `check` samples better: then that is the decoder.
Matrix<double> fit_checked_decoder(const Matrix<double>& dictionary, const CodedSamples& fit, const CodedSamples& check,
                                   ThreadPool& pool);

}  // namespace dualdict
