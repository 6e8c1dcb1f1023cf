// SPDX-License-Identifier: BSD-3-Clause
// Codes back into samples: the decoder of a mode, packed once.
#pragma once

#include <string_view>

#include "dualdict/encode.h"
#include "linalg/product.h"

namespace dualdict {

// The matrix (K x d) that turns codes of a mode back into preprocessed samples; throws Error(kInput) when the model has
// none.
const Matrix<double>& decoder_of(const ModelParts& parts, std::string_view mode, DecodeWith with);

// In the precision of the model, as encoding: the caller's precision must not change what a model computes. Immutable.
template <class T>
class RowDecoder {
 public:
  RowDecoder(const Model& model, const Matrix<double>& decoder);
  // codes: n x K; samples: n x d, with the preprocessing undone. Throws Error(kInput) for wrong shapes, NaN and Inf.
  template <class S>
  void decode(MatrixView<const S> codes, MatrixView<S> samples) const;
  // samples -= decoded codes, without the preprocessing.
  void subtract(MatrixView<const T> codes, MatrixView<T> samples) const;

 private:
  Model model_;
  PackedRight<T> decoder_;
};

}  // namespace dualdict
