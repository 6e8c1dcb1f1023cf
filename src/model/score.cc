// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "linalg/product.h"
#include "linalg/vectors.h"
#include "model/decoder.h"

namespace dualdict {
namespace {

template <class T>
void score_as(const Model& model, const Encoder& encoder, EncodeMode mode, MatrixView<const T> samples,
              std::span<double> errors, bool relative) {
  if (errors.size() != samples.rows)
    throw Error(ErrorKind::kUsage, "errors: room for " + std::to_string(errors.size()) + " numbers, but there are " +
                                       std::to_string(samples.rows) + " samples");
  Matrix<T> codes(samples.rows, model.n_atoms());
  encoder.encode(samples, codes.view());
  // The codes know nothing of what preprocessing took away: the error is that of the preprocessed sample.
  Matrix<T> rest = convert<T>(samples);
  model.parts().transform.apply(rest.view());
  std::vector<double> scale(samples.rows);
  for (std::size_t i = 0; i < samples.rows; ++i) scale[i] = relative ? norm(rest.row(i), rest.cols()) : 1.0;
  PackedRight<T> decoder;
  decoder.pack(convert<T>(decoder_of(model.parts(), mode, DecodeWith::kModeDecoder)).view());
  multiply(plain(MatrixView<const T>(codes.view())), decoder, rest.view(), Into::kSubtract);
  for (std::size_t i = 0; i < samples.rows; ++i)
    errors[i] = scale[i] > 0 ? norm(rest.row(i), rest.cols()) / scale[i] : 0.0;
}

}  // namespace

void score(const Model& model, const Encoder& encoder, EncodeMode mode, MatrixView<const float> samples,
           std::span<double> errors, bool relative) {
  score_as(model, encoder, mode, samples, errors, relative);
}
void score(const Model& model, const Encoder& encoder, EncodeMode mode, MatrixView<const double> samples,
           std::span<double> errors, bool relative) {
  score_as(model, encoder, mode, samples, errors, relative);
}

}  // namespace dualdict
