// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/learn.h"

#include "core/hash.h"
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

void check(const DataSource& data, const LearnOptions& options, const LearnContext& context) {
  validate(options);
  require_width(options.initial_dictionary, "the initial dictionary", data);
  require_width(options.initial_dual, "the initial dual", data);
  if (context.validation != nullptr && context.validation->n_features() != data.n_features())
    throw Error(ErrorKind::kInput, context.validation->name() + ": " +
                                       std::to_string(context.validation->n_features()) + " features, the samples of " +
                                       data.name() + " have " + std::to_string(data.n_features()) +
                                       "; they must agree");
  require_memory(memory_need({data.n_samples(), data.n_features(), options.n_atoms, resolve_threads(options.n_threads),
                              options.dtype, !context.checkpoint.path.empty()}),
                 options.max_memory);
}

// Of what must be the same on every rank for all to decide alike.
std::uint32_t digest(const DataSource& data, const LearnOptions& options, const PreprocessOptions& preprocess) {
  std::string text = std::to_string(options.max_iterations) + " " + std::to_string(options.time_limit);
  for (const auto& [key, value] : identity_of(data, options, preprocess)) text += "\n" + key + "=" + value;
  return static_cast<std::uint32_t>(hash64(text.data(), text.size()));
}

}  // namespace

LearnResult learn(const DataSource& data, const LearnOptions& options, const LearnContext& context) {
  Ranks ranks(context.communicator);
  try {
    ranks.together([&] { check(data, options, context); });
    ranks.require_same(digest(data, options, context.preprocess),
                       "the ranks were given different options, or samples of different widths; all must agree");
    if (options.dtype == DType::kFloat64) return Learner<double>(data, options, context, ranks).run();
    return Learner<float>(data, options, context, ranks).run();
  } catch (const Interrupted&) {  // while the samples were read and summed
    throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
  } catch (...) {
    ranks.abandon_unless_agreed();
    throw;
  }
}

}  // namespace dualdict
