// SPDX-License-Identifier: BSD-3-Clause
// Learning: samples and options in, model and summary out.
#pragma once

#include <string>

#include "dualdict/callbacks.h"
#include "dualdict/communicator.h"
#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/model.h"
#include "dualdict/options.h"
#include "dualdict/preprocess.h"
#include "dualdict/summary.h"

namespace dualdict {

struct LearnResult {
  Model model;
  LearnSummary summary;
};

// A file from which a fit that was killed can go on, to end bit for bit as if nothing had happened.
struct CheckpointOptions {
  std::string path;     // empty: none
  double seconds = 60;  // between two of them (>= 0), at ends of iterations; sooner when an iteration takes seconds
  bool resume = false;  // go on from the file when it is there; else a file that is there is refused
};

// What learn() may be given beside the samples and the options.
struct LearnContext {
  PreprocessOptions preprocess;            // fitted on the samples, stored in the model
  const DataSource* validation = nullptr;  // unseen samples on which the encoding modes are measured
  LearnHooks hooks;
  // With one, an interrupt lets the iteration end if it can within seconds, and writes it. Throws Error(kWrite) when it
  // cannot be written, Error(kInput) when the file is damaged or belongs to other samples or options.
  CheckpointOptions checkpoint;
  // nullptr: this process alone. With several ranks each gives its own samples (at least one) and the same options;
  // `checkpoint` names a file that all of them see. Every rank returns D, C and the summary, rank 0 the fitted
  // encoders.
  Communicator* communicator = nullptr;
};

// Learns D and C. Throws Error for bad options or samples; how the fit ended is in the summary. Neither the number of
// threads nor the hooks change a bit of the model.
DUALDICT_API LearnResult learn(const DataSource& data, const LearnOptions& options, const LearnContext& context = {});

}  // namespace dualdict
