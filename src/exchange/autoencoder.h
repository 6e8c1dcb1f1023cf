// SPDX-License-Identifier: BSD-3-Clause
// What the files of others have in common: one product, a cut, and a decoder,
//
//   z = W (x - b_dec) + b,    u = what the cut leaves of z,    x ~ V' u + b_dec.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dualdict/exchange.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

struct Autoencoder {
  DType dtype = DType::kFloat32;
  Matrix<double> weights;            // W, K x d
  std::vector<double> bias;          // b, K
  Matrix<double> decoder;            // V, K x d
  std::vector<double> decoder_bias;  // b_dec, d
  std::vector<double> threshold;     // K, >= 0: z_j above its own stays
  std::size_t k = 0;                 // instead, where it is not 0: the k largest of a sample
  bool is_signed = false;            // |z| in the place of z; else what is kept is > 0
  std::string origin;                // for people: "SAELens, topk"

  std::size_t n_atoms() const { return decoder.rows(); }
  std::size_t n_features() const { return decoder.cols(); }
};

// Throws Error(kInput) that names the file and the part when its shapes do not fit or a number is not finite.
void check_autoencoder(const std::string& file, const Autoencoder& autoencoder);

Model to_model(Autoencoder autoencoder);
// Throws Error(kUsage) that says what does not fit and what it would cost.
Autoencoder from_model(const Model& model, const ExportOptions& options);

}  // namespace dualdict
