// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/learn.h"

#include "dualdict/error.h"
#include "learn/learner.h"
#include "learn/memory_need.h"

namespace dualdict {
namespace {

// An initial matrix, if given, must be as wide as the samples.
void require_width(const Matrix<double>& matrix, const char* name, const DataSource& data) {
  if (matrix.empty() || matrix.cols() == data.n_features()) return;
  throw Error(ErrorKind::kUsage, std::string(name) + " has " + std::to_string(matrix.cols()) +
                                     " features, the samples of " + data.name() + " have " +
                                     std::to_string(data.n_features()) + "; they must agree");
}

}  // namespace

LearnResult learn(const DataSource& data, const LearnOptions& options, const LearnContext& context) {
  validate(options);
  require_width(options.initial_dictionary, "the initial dictionary", data);
  require_width(options.initial_dual, "the initial dual", data);
  if (context.validation != nullptr && context.validation->n_features() != data.n_features())
    throw Error(ErrorKind::kInput, context.validation->name() + ": " +
                                       std::to_string(context.validation->n_features()) + " features, the samples of " +
                                       data.name() + " have " + std::to_string(data.n_features()) +
                                       "; they must agree");
  // Only the moments are summed so far; a start, usage and certificates of one part would pass for those of the whole.
  if (context.communicator != nullptr && context.communicator->size() != 1)
    throw Error(ErrorKind::kUsage, "a communicator of " + std::to_string(context.communicator->size()) +
                                       " processes is not allowed: learning runs in one process");
  require_memory(memory_need({data.n_samples(), data.n_features(), options.n_atoms, resolve_threads(options.n_threads),
                              options.dtype, !context.checkpoint.path.empty()}),
                 options.max_memory);
  try {
    if (options.dtype == DType::kFloat64) return Learner<double>(data, options, context).run();
    return Learner<float>(data, options, context).run();
  } catch (const Interrupted&) {  // while the samples were read and summed
    throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
  }
}

}  // namespace dualdict
