// SPDX-License-Identifier: BSD-3-Clause
// What learning leaves: a dictionary, its dual, the fitted encoders, the preprocessing and where it all came from.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/matrix.h"
#include "dualdict/preprocess.h"
#include "dualdict/summary.h"

namespace dualdict {

// What one encoding mode does on samples that its fit did not see.
struct EncodingRow {
  std::string mode;                 // "linear", "sparse", ..., or a baseline: "threshold D'x", "pca"
  double code_error = 0;            // |u - u*| / |u*|, u* the exact code; NaN is stored as absent (baselines)
  double energy_excess = 0;         // (E(u) - E(u*)) / E(u*)
  double reconstruction_error = 0;  // |x - decoded| / |x| with the mode's own decoder
  double dictionary_reconstruction_error = 0;  // the same with D
  double debiased_reconstruction_error = 0;    // least squares on the code's support
  double nonzeros = 0;                         // per code
  double support_overlap = 0;                  // |S and S*| / |S or S*|
  double samples_per_second = 0;               // measured on this machine with the threads of the fit
  // NaN in models of versions that did not measure them.
  double worst_error = std::numeric_limits<double>::quiet_NaN();  // reconstruction error of the worst single sample
  // Reconstruction error of principal components of which as many scores are kept, the largest of all samples: one hard
  // threshold. What needs no learning at all.
  double pca_error = std::numeric_limits<double>::quiet_NaN();

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("mode", self.mode);
    visit("code_error", self.code_error);
    visit("energy_excess", self.energy_excess);
    visit("reconstruction_error", self.reconstruction_error);
    visit("dictionary_reconstruction_error", self.dictionary_reconstruction_error);
    visit("debiased_reconstruction_error", self.debiased_reconstruction_error);
    visit("nonzeros", self.nonzeros);
    visit("support_overlap", self.support_overlap);
    visit("samples_per_second", self.samples_per_second);
    visit("worst_error", self.worst_error);
    visit("pca_error", self.pca_error);
  }
};

struct EncodingTable {
  std::size_t n_fit = 0;       // samples the encoders were fitted on
  std::size_t n_measured = 0;  // samples the rows were measured on
  bool held_out = false;       // measured on samples the encoders were not fitted on
  bool unseen = false;         // and that D and C were not learned from either (a validation source)
  std::vector<EncodingRow> rows;

  // Of all but the rows.
  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("n_fit", self.n_fit);
    visit("n_measured", self.n_measured);
    visit("held_out", self.held_out);
    visit("unseen", self.unseen);
  }
};

// What a mode of encoding (dualdict/modes.h) has fitted to a dictionary: one product, a gain, and a threshold that
// grows with the sample's norm n (relative to the training mean norm):
//   u_j = gain_j S_{threshold_j (1 + growth_j n)}(v_j),   v = weights x (+ feedback u0 for `corrected`).
struct FittedEncoder {
  std::string mode;
  Matrix<double> weights;         // K x d
  Matrix<double> feedback;        // K x K, acts on the sparse code u0; empty for `sparse`
  std::vector<double> gain;       // K
  std::vector<double> threshold;  // K
  std::vector<double> growth;     // K
  std::vector<double> tau_slope;  // K: how much the threshold moves per unit of tau
  Matrix<double> quantiles;       // K x q: quantiles 0, 1/(q-1), ..., 1 of |v_j| / (1 + growth_j n) on the fit samples
  Matrix<double> decoder;         // K x d: least squares from this mode's codes to the samples
  // Of `hard` and `greedy` instead: c of z = C x + c (K), thresholds of each atom that the level multiplies, and rows
  // (nonzeros, level), the level being the threshold or the price that gives so many on samples held out; the first row
  // is the model's own, the others rise in nonzeros.
  std::vector<double> bias;
  Matrix<double> levels;
};

// How many numbers of a tensor belong to each atom; a vector has one.
// `kPairs`: rows of two that belong to none.
enum class TensorColumns { kOne, kFeatures, kAtoms, kAny, kPairs };

// The one list of an encoder's tensors: calls visit(name, columns, matrix or vector) for each but the decoder, in the
// order of the model file.
template <class Encoder, class Visit>
void for_each_tensor(Encoder& encoder, const Visit& visit) {
  visit("weights", TensorColumns::kFeatures, encoder.weights);
  visit("feedback", TensorColumns::kAtoms, encoder.feedback);
  visit("gain", TensorColumns::kOne, encoder.gain);
  visit("threshold", TensorColumns::kOne, encoder.threshold);
  visit("growth", TensorColumns::kOne, encoder.growth);
  visit("tau_slope", TensorColumns::kOne, encoder.tau_slope);
  visit("quantiles", TensorColumns::kAny, encoder.quantiles);
  visit("bias", TensorColumns::kOne, encoder.bias);
  visit("levels", TensorColumns::kPairs, encoder.levels);
}

// Where a model came from. All of it is in the file's metadata.
struct Provenance {
  std::string version;  // of dualdict that wrote it
  std::string data_name;
  std::string data_fingerprint;  // hash of the samples after preprocessing
  LearnSummary summary;          // without the iterations
  EncodingTable encoding;
  std::vector<std::size_t> usage;  // samples that use each atom, under the final codes
};

// Everything a model is made of; build one, then hand it to Model.
struct ModelParts {
  DType dtype = DType::kFloat32;
  Matrix<double> dictionary;  // K x d: row i is atom d_i, |d_i| <= 1
  Matrix<double> dual;        // K x d: row i is filter c_i, |c_i| <= 1 with penalty l1
  Penalty penalty = Penalty::kL1;
  std::vector<double>
      offset;  // d, or empty: subtracted from samples after the transform, added to what codes decode to
  Transform transform;
  SampleShape shape;
  double mean_norm = 1;  // mean of |x| over the training samples, after the transform
  // The weights with which codes are made, certificates and energies are of, and the encoders were fitted.
  double tau = 0;
  double eta = 0;
  double mu = 0;
  // Those with which D was learned, where they are others.
  std::optional<double> learning_tau;
  std::optional<double> learning_eta;
  bool positive_codes = false;
  std::string own_mode;                 // of a converted model: the mode that is its encoder, "hard" or "topk:32"
  std::vector<FittedEncoder> encoders;  // one a mode that has tensors, in the order of the table of modes
  Provenance provenance;

  // nullptr: the model has none for this mode
  const FittedEncoder* find_encoder(std::string_view mode) const {
    for (const FittedEncoder& encoder : encoders)
      if (encoder.mode == mode) return &encoder;
    return nullptr;
  }
};

// An immutable model. Cheap to copy (shared), safe to use from many threads.
class DUALDICT_API Model {
 public:
  explicit Model(ModelParts parts);
  // Reads a model file (safetensors) and checks its shapes, numbers and checksum; throws Error(kInput).
  static Model load(const std::string& path);
  // Writes it durably: a temporary file in the same folder, then a rename; throws Error(kWrite), the old file intact.
  void save(const std::string& path) const;
  // The bytes of that file, and back; `name` is for messages.
  static Model from_bytes(std::string_view bytes, const std::string& name = "model");
  std::string to_bytes() const;

  const ModelParts& parts() const { return *parts_; }
  std::size_t n_atoms() const { return parts_->dictionary.rows(); }
  std::size_t n_features() const { return parts_->dictionary.cols(); }
  DType dtype() const { return parts_->dtype; }
  // In double whatever the dtype; a float32 model's numbers are float32 numbers.
  const Matrix<double>& dictionary() const { return parts_->dictionary; }
  const Matrix<double>& dual() const { return parts_->dual; }

 private:
  std::shared_ptr<const ModelParts> parts_;
};

// The model's description as one JSON document: shape, options given and used, transform, outcome, encoding table,
// version.
DUALDICT_API std::string describe_json(const Model& model);

}  // namespace dualdict
