// SPDX-License-Identifier: BSD-3-Clause
// Learning where others hold the samples, in blocks, and move the messages: a scheduler of tasks, a cluster of any
// kind.
//
//   BlockFit fit(options, n_blocks);
//   while (!fit.is_done()) {
//     request = fit.request();                                          // to whoever holds the blocks fit.blocks()
//     each of them: block_statistics(request, samples, index, codes)    // codes: those of its last answer
//     fit.step(sum of the statistics by add_statistics);
//   }
//   result = fit.result();
//
// The state of the fit, requests, statistics and codes are bytes with version and checksum. Only D, C and sums travel:
// nothing in a message grows with the samples. The bits of the result depend on options and blocks, and on the order
// in which statistics are added.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/learn.h"
#include "dualdict/options.h"
#include "dualdict/preprocess.h"

namespace dualdict {

struct BlockAnswer {
  std::string statistics;  // to be added to those of other blocks
  std::string codes;       // to be kept with the block for the next request to it; empty when none were made
};

// What a request asks of the samples of block `index` (from 0). `codes`: those of this block's last answer that had
// some, or empty for a start from zero. n_threads as in the options, and changes no bit. Throws Error(kInput) for bad
// samples, bytes that are damaged or not of this version.
DUALDICT_API BlockAnswer block_statistics(std::string_view request, const DataSource& samples, std::size_t index,
                                          std::string_view codes = {}, std::size_t n_threads = 1);

// Of two answers to one request, neither of which has a block of the other.
DUALDICT_API std::string add_statistics(std::string_view a, std::string_view b);

// The state of a fit. With the samples of all blocks in memory it is `learn`, but for the warm-up, which goes through
// whole blocks in random order.
class DUALDICT_API BlockFit {
 public:
  // Throws Error(kUsage). penalty l0 is refused, auto is l1 and messages() says so before the first step.
  BlockFit(const LearnOptions& options, std::size_t n_blocks, const PreprocessOptions& preprocess = {});
  ~BlockFit();
  BlockFit(BlockFit&&) noexcept;
  BlockFit& operator=(BlockFit&&) noexcept;

  bool is_done() const;
  // The blocks that the request is for, rising.
  std::vector<std::size_t> blocks() const;
  std::string request() const;
  // With the statistics of all those blocks. Throws Error(kInput) when some are missing or answer another request; the
  // state is then as before.
  void step(std::string_view statistics);
  // No more steps: `outcome` (kStopped or kInterrupted) is how the fit ended.
  void stop(Outcome outcome);

  const std::vector<IterationRecord>& iterations() const;
  // What the last step had to tell, as to LearnHooks::on_message; before the first step what the options had.
  const std::vector<std::string>& messages() const;
  // Options and preprocessing as one JSON object: what two states of the same fit agree on.
  std::string run_json() const;
  // Whether the first dictionary has been chosen: there can be a result.
  bool has_dictionary() const;

  // The model, its encoders fitted on a random choice of the samples (at most 8000 have come along). Energy and
  // certificate in the summary are those of these samples; the records of the iterations hold E of all.
  LearnResult result() const;

  // All of the state, to go on elsewhere or later.
  std::string to_bytes() const;
  static BlockFit from_bytes(std::string_view bytes);

 private:
  struct Impl;
  explicit BlockFit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dualdict
