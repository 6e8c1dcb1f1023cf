// SPDX-License-Identifier: BSD-3-Clause
// Learning: samples and options in, model and summary out.
#pragma once

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

// What learn() may be given beside the samples and the options.
struct LearnContext {
  PreprocessOptions preprocess;            // fitted on the samples, stored in the model
  const DataSource* validation = nullptr;  // unseen samples on which the encoding modes are measured
  LearnHooks hooks;
  Communicator* communicator = nullptr;  // nullptr: this process alone; more than one is refused
};

// Learns D and C. Throws Error for bad options or samples; how the fit ended is in the summary. Neither the number of
// threads nor the hooks change a bit of the model.
DUALDICT_API LearnResult learn(const DataSource& data, const LearnOptions& options, const LearnContext& context = {});

}  // namespace dualdict
