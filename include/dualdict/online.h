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

// Codes every block with the D and C at hand, adds its sums U U', U X' and X X' to those of all blocks before, and
// steps D and C on the sums. A sample that came when n had come weighs (n/N)^4 when N have: early ones, coded with an
// early dictionary, fade; how the samples are cut into blocks hardly matters, and a small block counts for little.
class DUALDICT_API OnlineLearner {
 public:
  // The stopping options and `solver` have no part in it. Throws Error(kUsage); preprocessing that needs all samples at
  // once (center_features) is refused.
  explicit OnlineLearner(const LearnOptions& options, const PreprocessOptions& preprocess = {});
  ~OnlineLearner();
  OnlineLearner(OnlineLearner&&) noexcept;
  OnlineLearner& operator=(OnlineLearner&&) noexcept;

  // One block of at least 1 sample. On an error the learner is as it was before.
  void update(const DataSource& block);

  std::size_t n_samples() const;  // so far
  std::size_t n_updates() const;
  double tau() const;
  DType dtype() const;
  // The sums over all samples with their weights: U U' (K x K), U X' (K x d), X X' (d x d).
  const Matrix<double>& codes_by_codes() const;
  const Matrix<double>& codes_by_samples() const;
  const Matrix<double>& samples_by_samples() const;
  // D and C as they are.
  const Matrix<double>& dictionary() const;
  const Matrix<double>& dual() const;

  // A model with encoders fitted on a random choice of the samples so far (at most 8000 are kept for this). The energy
  // in the summary is that of these samples. At least one update has been made.
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
