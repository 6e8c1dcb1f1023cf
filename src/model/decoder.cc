// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "core/finite.h"
#include "dualdict/error.h"
#include "model/coding_space.h"
#include "model/modes/mode.h"
#include "model/row_decoder.h"

namespace dualdict {

const Matrix<double>& decoder_of(const ModelParts& parts, std::string_view mode, DecodeWith with) {
  if (with == DecodeWith::kDictionary) return parts.dictionary;
  const Mode& known = mode_of(*parse_mode(mode).info);
  if (!known.has_decoder) return parts.dictionary;
  const FittedEncoder* fitted = parts.find_encoder(known.decoder_of.empty() ? known.info.name : known.decoder_of);
  if (fitted == nullptr || fitted->decoder.empty())
    throw Error(ErrorKind::kInput, "mode " + std::string(mode) +
                                       ": the model has no decoder fitted to its codes; decode with the dictionary "
                                       "instead");
  return fitted->decoder;
}

template <class T>
RowDecoder<T>::RowDecoder(const Model& model, const Matrix<double>& decoder) : model_(model) {
  decoder_.pack(convert<T>(decoder).view());
}

template <class T>
void RowDecoder<T>::subtract(MatrixView<const T> codes, MatrixView<T> samples) const {
  multiply<T>(plain(codes), decoder_, samples, Into::kSubtract);
}

template <class T>
template <class S>
void RowDecoder<T>::decode(MatrixView<const S> codes, MatrixView<S> samples) const {
  constexpr std::size_t kRows = 256;
  if (codes.cols != model_.n_atoms())
    throw Error(ErrorKind::kInput, "codes: " + std::to_string(codes.cols) + " numbers a code, but the model has " +
                                       std::to_string(model_.n_atoms()) + " atoms");
  if (samples.rows != codes.rows || samples.cols != model_.n_features())
    throw Error(ErrorKind::kInput, "samples: " + std::to_string(samples.rows) + " x " + std::to_string(samples.cols) +
                                       ", but these codes decode to " + std::to_string(codes.rows) + " x " +
                                       std::to_string(model_.n_features()));
  require_finite(codes, "codes");
  const std::size_t most = std::min(kRows, codes.rows);
  Matrix<T> block_codes(most, codes.cols);
  Matrix<T> block_samples(most, samples.cols);
  for (std::size_t first = 0; first < codes.rows; first += kRows) {
    const std::size_t n = std::min(kRows, codes.rows - first);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < codes.cols; ++j) block_codes(i, j) = static_cast<T>(codes(first + i, j));
    const MatrixView<T> decoded = block_samples.view().row_range(0, n);
    multiply<T>(plain(MatrixView<const T>(block_codes.view().row_range(0, n))), decoder_, decoded);
    from_coding_space(model_.parts(), decoded);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < samples.cols; ++j) samples(first + i, j) = static_cast<S>(decoded(i, j));
  }
}

template class RowDecoder<float>;
template class RowDecoder<double>;
template void RowDecoder<float>::decode(MatrixView<const float>, MatrixView<float>) const;
template void RowDecoder<float>::decode(MatrixView<const double>, MatrixView<double>) const;
template void RowDecoder<double>::decode(MatrixView<const float>, MatrixView<float>) const;
template void RowDecoder<double>::decode(MatrixView<const double>, MatrixView<double>) const;

struct Decoder::Engine {
  explicit Engine(const Model& model_in) : model(model_in) {}
  virtual ~Engine() = default;
  virtual void decode(MatrixView<const float> codes, MatrixView<float> samples) const = 0;
  virtual void decode(MatrixView<const double> codes, MatrixView<double> samples) const = 0;
  Model model;
};

template <class T>
struct Decoder::EngineOf final : Decoder::Engine {
  EngineOf(const Model& model_in, const Matrix<double>& decoder) : Engine(model_in), rows(model_in, decoder) {}
  void decode(MatrixView<const float> codes, MatrixView<float> samples) const override { rows.decode(codes, samples); }
  void decode(MatrixView<const double> codes, MatrixView<double> samples) const override {
    rows.decode(codes, samples);
  }
  RowDecoder<T> rows;
};

std::string_view default_mode(const Model& model) {
  const ModelParts& parts = model.parts();
  if (!parts.own_mode.empty()) return parts.own_mode;
  if (parts.penalty == Penalty::kL0) return "greedy";
  const FittedEncoder* greedy = parts.find_encoder("greedy");
  const bool has_price = greedy != nullptr && !greedy->levels.empty();
  return parts.provenance.summary.given.nonzeros && has_price ? "greedy" : "sparse";
}

DecodeWith decode_with(std::string_view mode, std::optional<bool> debias) {
  return debias.value_or(parse_mode(mode).info->debiased) ? DecodeWith::kDictionary : DecodeWith::kModeDecoder;
}

Decoder::Decoder(const Model& model, std::string_view mode)
    : Decoder(model, mode.empty() ? default_mode(model) : mode,
              decode_with(mode.empty() ? default_mode(model) : mode)) {}

Decoder::Decoder(const Model& model, std::string_view mode, DecodeWith with) {
  const Matrix<double>& decoder = decoder_of(model.parts(), mode, with);
  if (model.dtype() == DType::kFloat32)
    engine_ = std::make_unique<EngineOf<float>>(model, decoder);
  else
    engine_ = std::make_unique<EngineOf<double>>(model, decoder);
}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

const Model& Decoder::model() const {
  return engine_->model;
}
void Decoder::decode(MatrixView<const float> codes, MatrixView<float> samples) const {
  engine_->decode(codes, samples);
}
void Decoder::decode(MatrixView<const double> codes, MatrixView<double> samples) const {
  engine_->decode(codes, samples);
}

}  // namespace dualdict
