// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/learn.h"

#include "dualdict/error.h"
#include "learn/fit/coding_weights.h"
#include "learn/fit/finish.h"
#include "learn/fit/in_memory.h"
#include "learn/fit/start.h"
#include "learn/fit/stopping.h"
#include "learn/fit_run.h"
#include "learn/memory_need.h"
#include "learn/prepare.h"

namespace dualdict {
namespace {

void check(const DataSource& data, const LearnOptions& options, const LearnContext& context) {
  validate(options);
  require_widths(options, context.validation, data.name(), data.n_features());
  FitSize size{data.n_samples(),
               data.n_features(),
               options.n_atoms,
               resolve_threads(options.n_threads),
               options.dtype,
               !context.checkpoint.path.empty(),
               context.validation != nullptr};
  size.many_atoms = has_many_atoms(objective_of(options, data.n_features()));
  require_memory(memory_need(size), options.max_memory);
}

// Like Transform::fit, on the samples of all ranks.
Transform fit_transform(const PreprocessOptions& options, const DataSource& data, Ranks& ranks) {
  if (ranks.alone()) return Transform::fit(options, data);
  std::vector<double> means;
  ranks.together([&] { means = Transform::fit(options, data).feature_means(); });
  if (means.empty()) return Transform(options, {});
  const Shard shard = ranks.shard(data.n_samples());
  for (double& mean : means) mean *= static_cast<double>(data.n_samples()) / static_cast<double>(shard.total);
  ranks.sum(means);
  return Transform(options, std::move(means));
}

template <class T>
LearnResult learn_in_memory(const DataSource& data, const LearnOptions& given, const LearnContext& context,
                            Ranks& ranks) {
  const LearnOptions options = with_penalty(given);
  Control control(options, context, ranks);
  Checkpoint checkpoint(context.checkpoint, identity_of(data.n_features(), options, context.preprocess), ranks);
  ThreadPool pool(resolve_threads(options.n_threads));
  const FitOrigin origin{data.name(), data.sample_shape(), fit_transform(context.preprocess, data, ranks),
                         context.validation, given.penalty};
  const Interrupt interrupt = control.impatient();
  control.progress().begin("reading " + std::to_string(data.n_samples()) + " samples");
  Samples<T> samples = load_samples<T>(data, origin.transform, Random(options.seed, kOrderStream), interrupt, &ranks);
  CodeStore<T> codes(samples.n_samples(), options.n_atoms);
  LearnSummary summary;
  summary.reading_seconds = control.own_seconds();
  FitState state = empty_state<T>(options, data.n_features());
  {
    InMemory<T> source(samples, codes, control, pool);
    control.keep_back(
        {samples.n_all(), samples.n_features(), options.n_atoms, pool.size(), has_many_atoms(state.objective)});
    const bool in_time = source.prepare(state);
    checkpoint.set_samples(samples.n_all(), samples.row_fingerprint);
    if (checkpoint.was_read()) {
      control.say(checkpoint.origin());
      if (options.nonzeros && options.penalty == Penalty::kL1)
        state.tau.search.emplace(learning_nonzeros(options, data.n_features()));
      checkpoint.restore(state, samples, codes);
      control.go_on_from(state.seconds);
    } else {
      source.begin(state, in_time);
    }
    if (in_time)
      run_fit(
          state, source, control, checkpoint, [&] { checkpoint.write(state, samples, codes); }, summary);
    else
      limit_reached(options, {control.seconds(), control.kept_back()}, state.iterations, summary);
  }
  return finish_fit(state, samples, codes, std::move(summary), origin, control, pool);
}

}  // namespace

LearnResult learn(const DataSource& data, const LearnOptions& given, const LearnContext& context) {
  const LearnOptions options = with_penalty(given);
  return with_ranks(context.communicator, [&](Ranks& ranks) {
    ranks.together([&] { check(data, options, context); });
    require_same_run(ranks, data.n_features(), options, context.preprocess);
    return options.dtype == DType::kFloat64 ? learn_in_memory<double>(data, given, context, ranks)
                                            : learn_in_memory<float>(data, given, context, ranks);
  });
}

}  // namespace dualdict
