// SPDX-License-Identifier: BSD-3-Clause
// Learning from samples that come block after block, however many, of which only a few are kept.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/learn.h"
#include "dualdict/matrix.h"
#include "dualdict/options.h"
#include "dualdict/preprocess.h"

namespace dualdict {

// Puts the samples of all blocks together to pieces of some samples per atom, and makes a step of learning with each:
// codes with the D and C at hand, sums that join fading ones, D and C on the sums (as learn_stream does). How the
// samples are cut into blocks changes no bit.
class DUALDICT_API OnlineLearner {
 public:
  // The stopping options and `solver` have no part in it. Throws Error(kUsage); preprocessing that needs all samples at
  // once (center_features) is refused.
  explicit OnlineLearner(const LearnOptions& options, const PreprocessOptions& preprocess = {});
  ~OnlineLearner();
  OnlineLearner(OnlineLearner&&) noexcept;
  OnlineLearner& operator=(OnlineLearner&&) noexcept;

  // One block of at least 1 sample. When the block is refused the learner is as it was before.
  void update(const DataSource& block);

  std::size_t n_samples() const;  // so far
  // All below and result() are those after a step with all samples so far, which is made when they are asked for and
  // changes nothing of what comes.
  std::size_t n_updates() const;  // steps
  double tau() const;
  DType dtype() const;
  // The sums over all samples with their weights: U U' (K x K), U X' (K x d), X X' (d x d; empty with eta = 0).
  const Matrix<double>& codes_by_codes() const;
  const Matrix<double>& codes_by_samples() const;
  const Matrix<double>& samples_by_samples() const;
  // D and C as they are.
  const Matrix<double>& dictionary() const;
  const Matrix<double>& dual() const;

  // A model with encoders fitted on a random choice of the samples so far: at most 8000 are kept for this, with penalty
  // l0 60000, and the first of these are only kept until they are so many. The energy in the summary is that of these
  // samples. At least one update has been made.
  LearnResult result() const;

  // All of the state, to go on elsewhere.
  std::string to_bytes() const;
  static OnlineLearner from_bytes(std::string_view bytes);

 private:
  struct Impl;
  explicit OnlineLearner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dualdict
