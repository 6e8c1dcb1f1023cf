// SPDX-License-Identifier: BSD-3-Clause
// A fit whose samples others hold, as plain values, and as bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/summary.h"
#include "learn/blocks/messages.h"
#include "learn/fit/iterations.h"
#include "learn/saved/run_options.h"

namespace dualdict {

enum class BlockPhase { kMeans, kSurvey, kWarmUp, kIterate, kDone };

struct BlockState {
  RunOptions run;
  BlockPhase phase = BlockPhase::kSurvey;
  std::vector<std::size_t> sizes;  // samples of each block, once they are known
  std::size_t n_all = 0;           // of all
  // D and C are those of the open iteration, led ahead. The means and the kept samples are in its stream, without any
  // position in it.
  FitState fit;
  OpenIteration open;
  LearnSummary summary;  // outcome and message
};

// The steps of a round of the warm-up, each with a group of blocks; none where blocks are few.
WarmUpSchedule block_schedule(const BlockState& state);
// Of the next request, rising.
std::vector<std::size_t> blocks_of(const BlockState& state);

std::string to_bytes(const BlockState& state);
BlockState read_block_state(std::string_view bytes);

}  // namespace dualdict
