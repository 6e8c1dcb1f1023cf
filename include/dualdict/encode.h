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

namespace dualdict {

enum class EncodeMode {
  kLinear,     // C x, dense
  kSparse,     // one product, gain and threshold (default)
  kCorrected,  // two products
  kRefine,     // proximal steps from the sparse code
  kExact,      // the code step, to a duality gap
};

struct EncodeOptions {
  EncodeMode mode = EncodeMode::kSparse;
  std::size_t refine_steps = 0;    // k of refine:k, >= 1 in that mode
  std::optional<double> tau;       // default: the model's
  std::optional<double> nonzeros;  // instead of tau: wanted nonzeros per code on average
  std::optional<double> eta;       // default: the model's; modes `refine:k` and `exact` only
  bool debias = false;             // least squares on the support of the code, where it has at most d elements
  double gap = 1e-6;               // `exact`: relative duality gap of every code <= this (float32 stops near 1e-6)
  std::size_t n_threads = 0;
};
// "linear", "sparse", "corrected", "refine:3", "exact" into mode and steps; throws Error(kUsage).
DUALDICT_API void parse_mode(std::string_view text, EncodeOptions& options);
DUALDICT_API std::string mode_name(const EncodeOptions& options);

// A model made ready to encode in one mode. Immutable after construction: encode() may be called from many threads, and
// a sample's code has the same bits alone, in any batch, on any number of threads.
class DUALDICT_API Encoder {
 public:
  // `nonzeros` in a mode without stored statistics (`exact`, `refine:k`) is found on `sample` (raw samples, at most a
  // few thousand are used); otherwise `sample` is not needed.
  explicit Encoder(const Model& model, const EncodeOptions& options = {}, const DataSource* sample = nullptr);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  std::size_t n_features() const;
  std::size_t n_atoms() const;
  double tau() const;  // in use
  // samples: n x d as read from the data (the model's preprocessing is applied inside); codes: n x K.
  // Throws Error(kInput) when a sample has NaN or Inf, naming how many and the first position.
  void encode(MatrixView<const float> samples, MatrixView<float> codes) const;
  void encode(MatrixView<const double> samples, MatrixView<double> codes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The L of the steps of refine:k, u <- S_{lambda/L}(u + (b - H u)/L): at least the largest eigenvalue of H. For whoever
// writes the encoder down in another form.
DUALDICT_API double refine_curvature(const Model& model, double eta);

// Which matrix turns codes back into samples.
enum class DecodeWith { kModeDecoder, kDictionary };

// codes: n x K made by `mode`; samples: n x d. kModeDecoder uses the decoder fitted to the mode's codes (D itself for
// linear, refine and exact codes); debiased codes want kDictionary, with which they were made. The preprocessing is
// undone where the codes still know it (Transform::invert).
DUALDICT_API void decode(const Model& model, MatrixView<const float> codes, MatrixView<float> samples,
                         EncodeMode mode = EncodeMode::kSparse, DecodeWith with = DecodeWith::kModeDecoder);
DUALDICT_API void decode(const Model& model, MatrixView<const double> codes, MatrixView<double> samples,
                         EncodeMode mode = EncodeMode::kSparse, DecodeWith with = DecodeWith::kModeDecoder);

// The reconstruction error of every sample after preprocessing: |x - decoded u|, u its code by `encoder`, which was
// made from the model for `mode`; divided by |x| when `relative` (0 for a zero sample). A sample's error does not
// depend on the others.
DUALDICT_API void score(const Model& model, const Encoder& encoder, EncodeMode mode, MatrixView<const float> samples,
                        std::span<double> errors, bool relative = true);
DUALDICT_API void score(const Model& model, const Encoder& encoder, EncodeMode mode, MatrixView<const double> samples,
                        std::span<double> errors, bool relative = true);

}  // namespace dualdict
