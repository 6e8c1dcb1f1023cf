// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <utility>

#include "core/finite.h"
#include "dualdict/version.h"
#include "exchange/autoencoder.h"
#include "io/bytes/input_error.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

std::string shape_of(const Matrix<double>& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

// A model's atoms lie in the unit ball; the decoder keeps theirs.
Matrix<double> in_unit_ball(Matrix<double> atoms) {
  for (std::size_t j = 0; j < atoms.rows(); ++j) {
    const double length = norm(atoms.row(j), atoms.cols());
    if (length <= 1) continue;
    for (std::size_t f = 0; f < atoms.cols(); ++f) atoms(j, f) /= length;
  }
  return atoms;
}

FittedEncoder fitted_encoder(Autoencoder& autoencoder) {
  FittedEncoder hard;
  hard.mode = "hard";
  hard.bias = std::move(autoencoder.bias);
  hard.decoder = std::move(autoencoder.decoder);
  // One row: its nonzeros are not known, and the level multiplies the thresholds of the atoms.
  hard.levels = Matrix<double>(1, 2);
  hard.levels(0, 1) = autoencoder.threshold.empty() ? 0 : 1;
  hard.threshold = std::move(autoencoder.threshold);
  return hard;
}

}  // namespace

void check_autoencoder(const std::string& file, const Autoencoder& autoencoder) {
  const std::size_t n_atoms = autoencoder.n_atoms(), n_features = autoencoder.n_features();
  if (autoencoder.decoder.empty()) fail_input(file, "has no atoms: the decoder is " + shape_of(autoencoder.decoder));
  if (autoencoder.weights.rows() != n_atoms || autoencoder.weights.cols() != n_features)
    fail_input(file, "the encoder is " + shape_of(autoencoder.weights) + " and the decoder " +
                         shape_of(autoencoder.decoder) + " (atoms x features); they must be alike");
  const auto check = [&](const std::string& name, const std::vector<double>& values, std::size_t n) {
    if (!values.empty() && values.size() != n)
      fail_input(file, name + " is " + std::to_string(values.size()) + " long; it must be " + std::to_string(n));
    require_finite(MatrixView<const double>(values.data(), 1, values.size()), file + ": " + name);
  };
  check("the encoder's bias", autoencoder.bias, n_atoms);
  check("the decoder's bias", autoencoder.decoder_bias, n_features);
  check("the threshold", autoencoder.threshold, n_atoms);
  require_finite(autoencoder.weights.view(), file + ": the encoder");
  require_finite(autoencoder.decoder.view(), file + ": the decoder");
}

Model to_model(Autoencoder autoencoder) {
  ModelParts parts;
  parts.dtype = autoencoder.dtype;
  parts.penalty = Penalty::kL0;
  parts.positive_codes = !autoencoder.is_signed && !autoencoder.bias.empty();
  parts.dictionary = in_unit_ball(autoencoder.decoder);
  if (std::any_of(autoencoder.decoder_bias.begin(), autoencoder.decoder_bias.end(), [](double b) { return b != 0; }))
    parts.offset = std::move(autoencoder.decoder_bias);
  LearnSummary& summary = parts.provenance.summary;
  summary.n_features = autoencoder.n_features();
  summary.outcome = Outcome::kStopped;
  summary.message = "converted from " + autoencoder.origin + ": how it was learned is not known";
  summary.dead_atoms.reset();
  summary.used.n_atoms = summary.given.n_atoms = autoencoder.n_atoms();
  summary.used.penalty = summary.given.penalty = Penalty::kL0;
  summary.used.dtype = parts.dtype;
  parts.provenance.version = DUALDICT_VERSION;
  parts.provenance.data_name = autoencoder.origin;
  // A plain dictionary has no encoder: its product is that of its atoms.
  if (!autoencoder.bias.empty()) {
    parts.own_mode = autoencoder.k > 0 ? "topk:" + std::to_string(autoencoder.k) : "hard";
    parts.encoders.push_back(fitted_encoder(autoencoder));
    parts.dual = std::move(autoencoder.weights);
  } else {
    parts.dual = parts.dictionary;
  }
  return Model(std::move(parts));
}

}  // namespace dualdict
