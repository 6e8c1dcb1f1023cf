// SPDX-License-Identifier: BSD-3-Clause
// A mode of encoding as one object: its row in the public table, what it has in a model, how that is fitted, and how it
// encodes. Each is made in a file of its own; modes.cc lists them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/thread_pool.h"
#include "dualdict/model.h"
#include "dualdict/modes.h"
#include "model/fit/split_samples.h"
#include "model/modes/block_encoder.h"
#include "solvers/objective.h"

namespace dualdict {

struct Mode;

// EncodeOptions with every default filled in.
struct ModeSettings {
  const Mode* mode = nullptr;
  std::size_t number = 0;  // k of name:k
  double tau = 0;
  double eta = 0;
  double tau_shift = 0;  // the thresholds of the fitted encoder move by tau_slope times this
  double level = 0;      // the threshold or price of a mode that has levels
  double gap = 1e-6;
  double max_error = 0;  // of every sample; 0: no bound
  bool debias = false;
};

struct Mode {
  template <class T>
  using Make = std::unique_ptr<BlockEncoder<T>> (*)(const ModelParts&, const ModeSettings&);

  ModeInfo info;
  // The modes whose fitted encoders it needs in the model.
  std::vector<std::string_view> needs = {};
  // The tensors that its own encoder has beside quantiles and decoder; empty: it has no encoder of its own.
  std::vector<std::string_view> tensors = {};
  std::vector<std::string_view> optional_tensors = {};  // that it may have too
  std::string_view decoder_of = {};                     // the mode whose decoder its codes have; empty: its own
  bool has_decoder = false;                             // that encoder has a decoder too
  bool has_levels = false;                              // it codes at one level for all samples and atoms
  // Makes that encoder at the end of learning, when those of the modes before it are in the parts.
  FittedEncoder (*fit)(const ModelParts&, const SplitSamples&, ThreadPool&) = nullptr;
  // The numbers k with which it has a row in a model's encoding table; none: one row, with the nonzeros of the model
  // where it takes a number.
  std::vector<std::size_t> measured = {};
  Make<float> make_float = nullptr;
  Make<double> make_double = nullptr;
};

// For Mode::make_float and make_double: an encoder that is made of the parts and the settings.
template <class Encoder, class T>
std::unique_ptr<BlockEncoder<T>> make_mode_encoder(const ModelParts& parts, const ModeSettings& settings) {
  return std::make_unique<Encoder>(parts, settings);
}

const Mode& linear_mode();
const Mode& sparse_mode();
const Mode& corrected_mode();
const Mode& refine_mode();
const Mode& exact_mode();
const Mode& hard_mode();
const Mode& topk_mode();
const Mode& greedy_mode();
const Mode& omp_mode();

// All of them, in the order of the public table.
std::span<const Mode* const> all_modes();
// That of a row of the public table.
const Mode& mode_of(const ModeInfo& info);

Objective objective_of(const ModelParts& parts, const ModeSettings& settings);

// The whole encoder, debiasing included. Throws Error(kInput) when the model has no tensors for the mode.
template <class T>
std::unique_ptr<BlockEncoder<T>> make_block_encoder(const ModelParts& parts, const ModeSettings& settings);

}  // namespace dualdict
