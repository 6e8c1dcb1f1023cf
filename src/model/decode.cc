// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "core/finite.h"
#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "linalg/product.h"
#include "model/decoder.h"

namespace dualdict {

const Matrix<double>& decoder_of(const ModelParts& parts, EncodeMode mode, DecodeWith with) {
  if (with == DecodeWith::kDictionary) return parts.dictionary;
  const FittedEncoder* fitted = nullptr;
  if (mode == EncodeMode::kSparse) fitted = &parts.sparse;
  if (mode == EncodeMode::kCorrected) fitted = &parts.corrected;
  if (fitted == nullptr) return parts.dictionary;
  if (fitted->decoder.empty())
    throw Error(ErrorKind::kInput,
                std::string(mode == EncodeMode::kSparse ? "mode sparse" : "mode corrected") +
                    ": the model has no decoder fitted to its codes; decode with the dictionary instead");
  return fitted->decoder;
}

namespace {

// In the precision of the model, as encoding: the caller's precision must not change what a model computes.
template <class T, class S>
void decode_as(const Model& model, const Matrix<double>& decoder, MatrixView<const S> codes, MatrixView<S> samples) {
  constexpr std::size_t kRows = 256;
  PackedRight<T> right;
  right.pack(convert<T>(decoder).view());
  Matrix<T> block_codes(kRows, codes.cols);
  Matrix<T> block_samples(kRows, samples.cols);
  for (std::size_t first = 0; first < codes.rows; first += kRows) {
    const std::size_t n = std::min(kRows, codes.rows - first);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < codes.cols; ++j) block_codes(i, j) = static_cast<T>(codes(first + i, j));
    const MatrixView<T> decoded = block_samples.view().row_range(0, n);
    multiply<T>(plain(MatrixView<const T>(block_codes.view().row_range(0, n))), right, decoded);
    model.parts().transform.invert(decoded);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < samples.cols; ++j) samples(first + i, j) = static_cast<S>(decoded(i, j));
  }
}

template <class S>
void decode_any(const Model& model, MatrixView<const S> codes, MatrixView<S> samples, EncodeMode mode,
                DecodeWith with) {
  if (codes.cols != model.n_atoms())
    throw Error(ErrorKind::kInput, "codes: " + std::to_string(codes.cols) + " numbers a code, but the model has " +
                                       std::to_string(model.n_atoms()) + " atoms");
  if (samples.rows != codes.rows || samples.cols != model.n_features())
    throw Error(ErrorKind::kInput, "samples: " + std::to_string(samples.rows) + " x " + std::to_string(samples.cols) +
                                       ", but these codes decode to " + std::to_string(codes.rows) + " x " +
                                       std::to_string(model.n_features()));
  require_finite(codes, "codes");
  const Matrix<double>& decoder = decoder_of(model.parts(), mode, with);
  if (model.dtype() == DType::kFloat32)
    decode_as<float>(model, decoder, codes, samples);
  else
    decode_as<double>(model, decoder, codes, samples);
}

}  // namespace

void decode(const Model& model, MatrixView<const float> codes, MatrixView<float> samples, EncodeMode mode,
            DecodeWith with) {
  decode_any(model, codes, samples, mode, with);
}
void decode(const Model& model, MatrixView<const double> codes, MatrixView<double> samples, EncodeMode mode,
            DecodeWith with) {
  decode_any(model, codes, samples, mode, with);
}

}  // namespace dualdict
