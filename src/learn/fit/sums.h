// SPDX-License-Identifier: BSD-3-Clause
// The rules by which the sums of a step's codes join those of the steps before. A rule is asked twice in a step: before
// the codes are made, whose sums become state.moments, and after them.
#pragma once

#include <cstddef>
#include <utility>

#include "learn/fit/state.h"
#include "learn/samples/code_pass.h"

namespace dualdict {

class SumRule {
 public:
  virtual ~SumRule() = default;
  virtual void begin(FitState&) {}
  virtual void join(FitState&, const PassReport&) {}
  // What brings the sums of the step to those that |X|^2 and XX' in the moments stand for.
  virtual double scale(const FitState&, const PassReport&) const { return 1; }
  // XX' is another after the step.
  virtual bool changes_samples() const { return false; }
};

// All samples are coded: their sums are all there is.
class WholeSums final : public SumRule {};

// Nonzeros per code as a share of K and of d.
struct CodeDensity {
  double of_atoms = 0;
  double of_features = 0;
};

// The share of the old sums that stays when n samples are added to the n_seen before them. The sums reach back over
// about n_seen / 120 samples times the number that it takes to use an atom once: an atom that few samples use needs
// many of them. They reach less far where codes fill the space of the samples: there codes make up for much of what D
// lacks, E is soft along D, and D has a long way to go.
double fading(std::size_t n_seen, std::size_t n, const CodeDensity& density);

// The sums of before fade, and all together stand for the n_all samples in memory, whose |X|^2 and XX' are known.
class FadingSums final : public SumRule {
 public:
  explicit FadingSums(std::size_t n_all) : n_all_(n_all) {}
  void begin(FitState& state) override;
  void join(FitState& state, const PassReport& pass) override;
  double scale(const FitState& state, const PassReport& pass) const override;

 private:
  std::size_t n_all_;
  Moments before_;
};

// The same for samples that come once: the sums are theirs alone, |X|^2 and XX' fade too. Where there are chapters,
// they keep the sums of the step besides.
class StreamSums final : public SumRule {
 public:
  // XX' of the samples of the step with eta > 0, and |X|^2 in the first step.
  explicit StreamSums(Matrix<double> xx, double first_squared = 0)
      : xx_(std::move(xx)), first_squared_(first_squared) {}
  void begin(FitState& state) override;
  void join(FitState& state, const PassReport& pass) override;
  double scale(const FitState& state, const PassReport& pass) const override;
  bool changes_samples() const override { return true; }

 private:
  Matrix<double> xx_;
  double first_squared_;
  Moments before_;
};

// A later pass over a stream: the sums of a part of it take the place of those that the same part left in the pass
// before. |X|^2 and XX' stay.
class ChapterSums final : public SumRule {
 public:
  void begin(FitState& state) override;
  void join(FitState& state, const PassReport& pass) override;
  double scale(const FitState& state, const PassReport& pass) const override;

 private:
  Moments before_;
};

// Chapters for a stream of n_samples: as many as a bounded amount of memory holds, at least 2.
void plan_chapters(std::size_t n_samples, std::size_t n_features, std::size_t n_atoms, Chapters& chapters);
// Before every pass but the first: the moments become what the chapters hold, without any fading.
void begin_chapters(Chapters& chapters, Moments& total);

}  // namespace dualdict
