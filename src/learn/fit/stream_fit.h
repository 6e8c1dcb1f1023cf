// SPDX-License-Identifier: BSD-3-Clause
// Learning from a stream: passes over it, each rank with its share of every piece.
#pragma once

#include <memory>
#include <string>

#include "data/rank_share.h"
#include "dualdict/stream.h"
#include "learn/fit/source.h"
#include "learn/fit/stream_steps.h"
#include "learn/samples/block_reader.h"

namespace dualdict {

template <class T>
class StreamFit final : public FitSource {
 public:
  // All outlive it.
  StreamFit(SampleStream& stream, const Transform& transform, std::size_t n_passes, Control& control, ThreadPool& pool);

  // Before the first step of this run: to where the state stands. Throws Error(kInput) when it is not the stream that
  // the state comes from.
  void begin(FitState& state);
  bool advance(FitState& state, LearnSummary& summary) override;
  // Why the stream ended before it should, or empty.
  const std::string& input_error() const { return input_error_; }

 private:
  void go_on(const StreamPosition& position);
  // The next samples of this rank; false when no rank has any.
  bool read_piece();
  void remember_first(FitState& state);
  std::uint64_t fingerprint() const;
  void open_reader();
  // After the last sample of a pass: whether there is another.
  bool end_cut(FitState& state, LearnSummary& summary);
  bool next_pass(FitState& state, LearnSummary& summary);

  SampleStream& stream_;
  const Transform& transform_;
  std::size_t n_passes_;
  Control& control_;
  RankShare share_;
  StreamSteps<T> steps_;
  std::unique_ptr<BlockReader<T>> reader_;
  Samples<T> piece_;
  std::size_t piece_samples_;  // of all ranks
  std::string input_error_;
};

// The means of all features, from one pass over the stream by all ranks.
std::vector<double> stream_means(SampleStream& stream, double scale, Control& control);

}  // namespace dualdict
