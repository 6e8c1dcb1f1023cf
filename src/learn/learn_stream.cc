// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/stream.h"
#include "learn/fit/coding_weights.h"
#include "learn/fit/finish.h"
#include "learn/fit/start.h"
#include "learn/fit/stream_fit.h"
#include "learn/fit/warm_up.h"
#include "learn/fit_run.h"
#include "learn/memory_need.h"
#include "learn/prepare.h"

namespace dualdict {
namespace {

void check(const SampleStream& stream, const LearnOptions& options, const LearnContext& context, std::size_t n_passes) {
  validate(options);
  if (n_passes == 0) throw Error(ErrorKind::kUsage, "passes: 0 is not allowed: a whole number >= 1");
  if (stream.n_features() == 0)
    throw Error(ErrorKind::kUsage, "interrupted before learning began: there is nothing to save");
  require_widths(options, context.validation, stream.name(), stream.n_features());
  const std::size_t kept = kept_limit(stream.n_features(), options.penalty);
  const std::size_t held = kept + 8 * step_samples(options.n_atoms);
  MemoryNeed need = memory_need({held, stream.n_features(), options.n_atoms, resolve_threads(options.n_threads),
                                 options.dtype, !context.checkpoint.path.empty(), context.validation != nullptr,
                                 sums_pairs(options, stream.n_features()),
                                 has_many_atoms(objective_of(options, stream.n_features()))});
  // They are learned from while they are kept.
  if (options.penalty == Penalty::kL0)
    need.samples += static_cast<double>(kept) * static_cast<double>(stream.n_features()) * sizeof(double);
  require_memory(need, options.max_memory);
}

std::string told(const FitState& state, const LearnSummary& summary, std::size_t n_measured) {
  const std::string ended = summary.outcome == Outcome::kIterationLimit ? "" : summary.message + "; ";
  const std::size_t n_passes = state.stream.pass + 1;
  return ended + "learned online from " + std::to_string(state.stream.n_samples) + " samples in " +
         std::to_string(state.fading.step) + " steps" +
         (n_passes > 1 ? " and " + std::to_string(n_passes) + " passes" : "") +
         "; energy and certificate are those of " + std::to_string(n_measured) + " of them";
}

template <class T>
LearnResult learn_from(SampleStream& stream, const LearnOptions& given, const LearnContext& context,
                       std::size_t n_passes, Ranks& ranks) {
  const LearnOptions options = with_penalty(given);
  Control control(options, context, ranks);
  RunIdentity identity = identity_of(stream.n_features(), options, context.preprocess);
  identity["--passes"] = std::to_string(n_passes);
  Checkpoint checkpoint(context.checkpoint, std::move(identity), ranks);
  ThreadPool pool(resolve_threads(options.n_threads));
  FitState state = stream_state<T>(options, stream.n_features());
  checkpoint.set_samples(stream.n_samples().value_or(0), "");
  if (checkpoint.was_read()) {
    control.say(checkpoint.origin());
    if (options.nonzeros && options.penalty == Penalty::kL1)
      state.tau.search.emplace(learning_nonzeros(options, stream.n_features()));
    checkpoint.restore(state);
    control.go_on_from(state.seconds);
  } else if (context.preprocess.center_features) {
    state.stream.feature_means = stream_means(stream, context.preprocess.scale, control);
  }
  const FitOrigin origin{stream.name(), stream.sample_shape(),
                         Transform(context.preprocess, state.stream.feature_means), context.validation, given.penalty};
  LearnSummary summary;
  control.keep_back({kept_limit(stream.n_features(), options.penalty), stream.n_features(), options.n_atoms,
                     pool.size(), has_many_atoms(state.objective)});
  control.progress().begin("learning from " + stream.name());
  {
    StreamFit<T> source(stream, origin.transform, n_passes, control, pool);
    source.begin(state);
    run_fit(
        state, source, control, checkpoint, [&] { checkpoint.write(state); }, summary);
    summary.input_error = source.input_error();
  }
  // Penalty l0 wants them as they were when W was learned.
  const bool hasty = summary.outcome == Outcome::kInterrupted && options.penalty == Penalty::kL1;
  Samples<T> samples = kept_samples<T>(state, options.seed, hasty, control.ranks());
  CodeStore<T> codes;
  summary.message = told(state, summary, samples.n_all());
  return finish_fit(state, samples, codes, std::move(summary), origin, control, pool);
}

}  // namespace

LearnResult learn_stream(SampleStream& stream, const LearnOptions& given, const LearnContext& context,
                         std::size_t n_passes) {
  const LearnOptions options = with_penalty(given);
  return with_ranks(context.communicator, [&](Ranks& ranks) {
    ranks.together([&] { check(stream, options, context, n_passes); });
    require_same_run(ranks, stream.n_features(), options, context.preprocess);
    return options.dtype == DType::kFloat64 ? learn_from<double>(stream, given, context, n_passes, ranks)
                                            : learn_from<float>(stream, given, context, n_passes, ranks);
  });
}

}  // namespace dualdict
