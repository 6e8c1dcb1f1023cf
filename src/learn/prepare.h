// SPDX-License-Identifier: BSD-3-Clause
// What comes before every fit: checks, and ranks that agree on what is to be done.
#pragma once

#include <string>

#include "core/interrupt.h"
#include "dualdict/error.h"
#include "dualdict/learn.h"
#include "learn/ranks/ranks.h"

namespace dualdict {

// With the penalty that learning uses.
inline LearnOptions with_penalty(LearnOptions options) {
  options.penalty = resolve_penalty(options);
  return options;
}

// Starting matrices and validation, if given, must be as wide as the samples.
void require_widths(const LearnOptions& options, const DataSource* validation, const std::string& name,
                    std::size_t n_features);
// Throws on all ranks when they were not given the same options and samples of the same width.
void require_same_run(Ranks& ranks, std::size_t n_features, const LearnOptions& options,
                      const PreprocessOptions& preprocess);

// Learns with the ranks of the communicator: an error on one ends all.
template <class Work>
LearnResult with_ranks(Communicator* communicator, const Work& work) {
  Ranks ranks(communicator);
  try {
    return work(ranks);
  } catch (const Interrupted&) {  // while the samples were read and summed
    throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
  } catch (...) {
    ranks.abandon_unless_agreed();
    throw;
  }
}

}  // namespace dualdict
