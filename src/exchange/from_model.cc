// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <utility>

#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "exchange/autoencoder.h"
#include "linalg/vectors.h"
#include "model/modes/mode.h"
#include "model/row_decoder.h"

namespace dualdict {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what);
}

const FittedEncoder& encoder_in(const ModelParts& parts, std::string_view mode) {
  const FittedEncoder* encoder = parts.find_encoder(mode);
  if (encoder == nullptr)
    refuse("mode " + std::string(mode) + ": the model has no encoder for it; `dualdict info` shows which it has");
  return *encoder;
}

// z = W x + b before preprocessing and offset are folded in.
void take_hard(const ModelParts& parts, const ModeChoice& choice, Autoencoder& result) {
  const FittedEncoder& hard = encoder_in(parts, "hard");
  result.weights = parts.dual;
  result.bias = hard.bias;
  if (choice.info->name == "topk") {
    result.k = choice.number;
    return;
  }
  const double level = hard.levels(0, 1);
  result.threshold.assign(parts.dictionary.rows(), level);
  for (std::size_t j = 0; j < hard.threshold.size(); ++j) result.threshold[j] = level * hard.threshold[j];
}

// g S_t(v) = relu(g v - g t), of either sign.
void take_sparse(const ModelParts& parts, Autoencoder& result) {
  const FittedEncoder& sparse = encoder_in(parts, "sparse");
  if (std::any_of(sparse.growth.begin(), sparse.growth.end(), [](double growth) { return growth != 0; }))
    refuse(
        "mode sparse: its thresholds grow with the norm of a sample, which no format knows; without that its codes "
        "would be others. Learn with --penalty l0 and write mode hard");
  result.weights = sparse.weights;
  for (std::size_t j = 0; j < sparse.gain.size(); ++j) {
    for (std::size_t f = 0; f < result.weights.cols(); ++f) result.weights(j, f) *= sparse.gain[j];
    result.bias.push_back(-sparse.gain[j] * sparse.threshold[j]);
  }
}

// W and b for samples as they are, V and b_dec for what they decode to: x' = P (x / s - m) - o, P takes off a sample's
// own mean, and decoding gives s (V'u + o + m).
void fold_preprocessing(const ModelParts& parts, Autoencoder& result) {
  const PreprocessOptions& options = parts.transform.options();
  if (options.unit_norm)
    refuse(
        "the model scales each sample to norm 1, for which the format has no place: convert a model learned without "
        "--scale unit from samples that have norm 1 already");
  const std::size_t d = result.n_features();
  std::vector<double> offset = parts.offset.empty() ? std::vector<double>(d) : parts.offset;
  const std::vector<double>& means = parts.transform.feature_means();
  for (std::size_t j = 0; j < result.n_atoms(); ++j) {
    double* row = result.weights.row(j);
    const double before = dot(row, offset.data(), d);
    if (options.center_samples) {
      double mean = 0;
      for (std::size_t f = 0; f < d; ++f) mean += row[f] / static_cast<double>(d);
      for (std::size_t f = 0; f < d; ++f) row[f] -= mean;
    }
    result.bias[j] += dot(row, offset.data(), d) - before;
    for (std::size_t f = 0; f < d; ++f) row[f] /= options.scale;
    for (std::size_t f = 0; f < d; ++f) result.decoder(j, f) *= options.scale;
  }
  result.decoder_bias = std::move(offset);
  for (std::size_t f = 0; f < d; ++f)
    result.decoder_bias[f] = options.scale * (result.decoder_bias[f] + (means.empty() ? 0.0 : means[f]));
}

Matrix<double> with_negatives(const Matrix<double>& rows, double sign) {
  Matrix<double> twice(2 * rows.rows(), rows.cols());
  for (std::size_t j = 0; j < rows.rows(); ++j)
    for (std::size_t f = 0; f < rows.cols(); ++f) {
      twice(j, f) = rows(j, f);
      twice(rows.rows() + j, f) = sign * rows(j, f);
    }
  return twice;
}

// Atom j and -j. `bias_sign`: of the bias of -j; that of a soft threshold is the same for both.
void split(double bias_sign, Autoencoder& result) {
  result.weights = with_negatives(result.weights, -1);
  result.decoder = with_negatives(result.decoder, -1);
  const std::size_t n = result.bias.size();
  for (std::size_t j = 0; j < n; ++j) result.bias.push_back(bias_sign * result.bias[j]);
  for (std::size_t j = 0, m = result.threshold.size(); j < m; ++j) result.threshold.push_back(result.threshold[j]);
  result.is_signed = false;
}

}  // namespace

Autoencoder from_model(const Model& model, const ExportOptions& options) {
  const ModelParts& parts = model.parts();
  const std::string mode = options.mode.empty() ? std::string(default_mode(model)) : options.mode;
  const ModeChoice choice = parse_mode(mode);
  Autoencoder result;
  result.dtype = parts.dtype;
  result.is_signed = !parts.positive_codes;
  const bool is_sparse = choice.info->name == "sparse";
  if (choice.info->name == "hard" || choice.info->name == "topk")
    take_hard(parts, choice, result);
  else if (is_sparse)
    take_sparse(parts, result);
  else
    refuse("mode " + mode +
           ": is no single product with a cut, which is all that the format holds; give --mode hard or "
           "topk:k of a model with hard codes. What that costs is in the table of `dualdict info`");
  result.decoder = decoder_of(parts, mode, DecodeWith::kModeDecoder);
  fold_preprocessing(parts, result);
  if (is_sparse && result.is_signed && !options.split_signs)
    refuse(
        "mode sparse: the codes have both signs, the format's are >= 0; give --split-signs, which makes two atoms "
        "of each");
  if (result.is_signed && options.split_signs) split(is_sparse ? 1 : -1, result);
  return result;
}

}  // namespace dualdict
