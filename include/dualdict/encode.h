// SPDX-License-Identifier: BSD-3-Clause
// From samples to codes and back.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dualdict/export.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "dualdict/modes.h"

namespace dualdict {

struct EncodeOptions {
  std::string mode = {};                // a mode of mode_table(): "linear", "refine:3"; default: default_mode()
  std::optional<double> tau = {};       // default: the model's
  std::optional<double> nonzeros = {};  // instead of tau: wanted nonzeros per code on average
  std::optional<double> level = {};     // instead of nonzeros: the threshold or price of a mode that has one
  std::optional<double> eta = {};       // default: the model's; modes that take it only
  // A sample gets atoms until |x - D u| after preprocessing is no more than that, or it has d of them; > 0. Modes that
  // take it only; without a mode omp:k with k = min(d, K).
  std::optional<double> max_error = {};
  // Least squares on the support of the code, where it has at most d elements. Default: ModeInfo::debiased.
  std::optional<bool> debias = {};
  double gap = 1e-6;  // `exact`: relative duality gap of every code <= this (float32 stops near 1e-6)
  std::size_t n_threads = 0;
};

// The mode that leaves least of a sample with the wanted nonzeros, "greedy", for a model that was learned with a number
// of them or with penalty l0; "sparse", one product, for one that was learned with a tau; of a model that was
// converted, the one that it was learned with elsewhere.
DUALDICT_API std::string_view default_mode(const Model& model);

// A model made ready to encode in one mode. Immutable after construction: its functions may be called from many
// threads, and a sample's code has the same bits alone, in any batch, on any number of threads.
class DUALDICT_API Encoder {
 public:
  // `nonzeros` in a mode without stored statistics (ModeInfo::needs_sample) is found on `sample` (raw samples, at most
  // a thousand are used); otherwise `sample` is not needed.
  explicit Encoder(const Model& model, const EncodeOptions& options = {}, const DataSource* sample = nullptr);
  ~Encoder();
  // A copy encodes alike and has threads of its own.
  Encoder(const Encoder& other);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  const Model& model() const;
  std::size_t n_features() const;
  std::size_t n_atoms() const;
  std::size_t n_threads() const;
  const std::string& mode() const;
  double tau() const;    // in use
  double level() const;  // the threshold or price of a mode that has one for all samples and atoms
  // samples: n x d as read from the data (the model's preprocessing is applied inside); codes: n x K.
  // Throws Error(kInput) when a sample has NaN or Inf, naming how many and the first position.
  void encode(MatrixView<const float> samples, MatrixView<float> codes) const;
  void encode(MatrixView<const double> samples, MatrixView<double> codes) const;

  // Codes that this encoder made back into samples, as Decoder does.
  void decode(MatrixView<const float> codes, MatrixView<float> samples) const;
  void decode(MatrixView<const double> codes, MatrixView<double> samples) const;

  // The reconstruction error of every sample after preprocessing: |x - decoded u|, u its code and decoded as decode()
  // does; divided by |x| when `relative` (0 for a zero sample). A sample's error does not depend on the others.
  void score(MatrixView<const float> samples, std::span<double> errors, bool relative = true) const;
  void score(MatrixView<const double> samples, std::span<double> errors, bool relative = true) const;

 private:
  struct Engine;
  template <class T>
  struct EngineOf;
  std::unique_ptr<Engine> engine_;
};

// Which matrix turns codes back into samples: the one fitted to the codes of the mode before least squares (D itself
// where there is none: linear, refine, exact and greedy codes), or D, as codes after least squares want it.
enum class DecodeWith { kModeDecoder, kDictionary };
// The one for codes of the mode that were made with this EncodeOptions::debias.
DUALDICT_API DecodeWith decode_with(std::string_view mode, std::optional<bool> debias = {});

// A model made ready to decode; may be used from many threads.
class DUALDICT_API Decoder {
 public:
  // Of codes as the mode makes them by default; an empty mode is default_mode().
  explicit Decoder(const Model& model, std::string_view mode = {});
  Decoder(const Model& model, std::string_view mode, DecodeWith with);
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  const Model& model() const;
  // codes: n x K; samples: n x d. The preprocessing is undone where the codes still know it (Transform::invert).
  void decode(MatrixView<const float> codes, MatrixView<float> samples) const;
  void decode(MatrixView<const double> codes, MatrixView<double> samples) const;

 private:
  struct Engine;
  template <class T>
  struct EngineOf;
  std::unique_ptr<Engine> engine_;
};

// The L of the steps of refine:k, u <- S_{lambda/L}(u + (b - H u)/L): at least the largest eigenvalue of H. For whoever
// writes the encoder down in another form.
DUALDICT_API double refine_curvature(const Model& model, double eta);

}  // namespace dualdict
