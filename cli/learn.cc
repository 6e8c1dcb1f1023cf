// SPDX-License-Identifier: BSD-3-Clause
// dualdict learn
#include "dualdict/learn.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "job.h"
#include "json.h"
#include "learn_report.h"
#include "learn_start.h"
#include "output.h"
#include "printable.h"
#include "progress.h"
#include "rank_guard.h"
#include "row_range.h"
#include "signals.h"
#include "stream_flags.h"
#include "table_flags.h"
#include "trace.h"

namespace dualdict::cli {
namespace {

constexpr const char* kLearnExamples =
    "Examples:\n"
    "  dualdict learn digits.npy -o digits.safetensors --atoms 200 --nonzeros 13\n"
    "  dualdict learn train-images-idx3-ubyte.gz -o digits.safetensors --atoms 200 --tau .2 --eta .001 --scale 255\n"
    "  dualdict learn photos/ -o patches.safetensors --atoms 200 --patches 12x12 --center-samples --scale 125\n"
    "  dualdict learn digits.npy -o more.safetensors --init digits.safetensors --tau .1 --trace run.jsonl\n"
    "  dualdict learn digits.npy -o digits.safetensors --atoms 200 --nonzeros 13 --checkpoint digits.ckpt --resume\n"
    "  dualdict learn larger-than-memory.npy -o big.safetensors --atoms 200 --tau .1 --stream\n"
    "  mpirun -n 4 dualdict learn big.npy -o big.safetensors --atoms 200 --nonzeros 13\n";

struct LearnArguments {
  std::vector<std::string> inputs;
  std::string output;
  LearnOptions options;
  DataFlags data;
  StartFlags start;
  StreamFlags stream;
  std::size_t passes = 1;
  std::vector<std::string> validation;
  std::string trace;
  CheckpointOptions checkpoint;
  bool checkpoint_every_given = false;
  bool json = false;
  bool quiet = false;
  bool progress = false;
};

// Unseen samples for the encoding table when patches are drawn anyway: as many more, up to 3000.
std::size_t extra_patches(const LearnArguments& arguments) {
  if (arguments.data.patches.empty() || arguments.data.stride > 0 || !arguments.validation.empty()) return 0;
  return std::min<std::size_t>(3000, arguments.data.samples / 10);
}

// The samples to learn from and the samples to measure on, and what they are read from.
struct Samples {
  std::unique_ptr<SampleStream> stream;  // instead of what is to be held in memory
  std::unique_ptr<Input> input;
  std::unique_ptr<Input> validation_input;
  std::unique_ptr<RowRange> training_rows;
  std::unique_ptr<RowRange> validation_rows;

  const DataSource& training() const {
    return training_rows ? static_cast<const DataSource&>(*training_rows) : **input;
  }
  const DataSource* validation() const {
    if (validation_rows) return validation_rows.get();
    return validation_input ? &**validation_input : nullptr;
  }
};

constexpr const char* kRankMark = "{rank}";

bool has_rank_mark(const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [](const std::string& path) { return path.find(kRankMark) != std::string::npos; });
}

std::vector<std::string> with_rank(std::vector<std::string> paths, std::size_t rank) {
  for (std::string& path : paths)
    if (const auto at = path.find(kRankMark); at != std::string::npos)
      path.replace(at, std::string(kRankMark).size(), std::to_string(rank));
  return paths;
}

// This rank's part of the training samples: all of its own files, or its share of the rows of files that all see.
void take_share(const LearnArguments& arguments, const Job& job, Samples& samples) {
  if (job.size() == 1 || has_rank_mark(arguments.inputs)) return;
  const DataSource& all = samples.training();
  const std::size_t n = all.n_samples();
  if (n < job.size())
    throw Error(ErrorKind::kInput, all.name() + ": " + std::to_string(n) + " samples are too few for " +
                                       std::to_string(job.size()) + " ranks: each needs at least one");
  const std::size_t first = n * job.rank() / job.size();
  const std::size_t last = n * (job.rank() + 1) / job.size();
  samples.training_rows = std::make_unique<RowRange>(**samples.input, first, last - first);
}

void open_validation(const LearnArguments& arguments, DataOptions options, Samples& samples) {
  if (options.patches) {
    options.patches->stride = 0;
    options.patches->n_samples = std::min<std::size_t>(3000, arguments.data.samples);
    // Other positions, should the images be the same.
    options.patches->seed += 1;
    const SampleShape shape = samples.stream ? samples.stream->sample_shape() : (*samples.input)->sample_shape();
    options.patches->color = shape.channels == 3 ? ImageColor::kRgb : ImageColor::kGrey;
  }
  samples.validation_input = std::make_unique<Input>(arguments.validation, options);
}

Samples open_samples(const LearnArguments& arguments, const Job& job) {
  Samples samples;
  if (job.size() > 1 && std::count(arguments.inputs.begin(), arguments.inputs.end(), "-") > 0)
    throw Error(ErrorKind::kUsage, "-: is not allowed with several ranks: they share files, not standard input");
  DataOptions options = data_options(arguments.data, arguments.options.seed);
  if (arguments.stream.is_on()) {
    samples.stream = open_input_stream(arguments.inputs, arguments.stream, arguments.data, arguments.options.seed);
    if (!arguments.validation.empty()) open_validation(arguments, options, samples);
    return samples;
  }
  const std::size_t n_extra = extra_patches(arguments);
  if (options.patches) options.patches->n_samples += n_extra;
  samples.input = std::make_unique<Input>(with_rank(arguments.inputs, job.rank()), options);
  if (n_extra > 0) {
    const DataSource& all = **samples.input;
    const std::size_t n_training = all.n_samples() - n_extra;
    samples.training_rows = std::make_unique<RowRange>(all, 0, n_training);
    samples.validation_rows = std::make_unique<RowRange>(all, n_training, n_extra);
  }
  if (!arguments.validation.empty()) open_validation(arguments, options, samples);
  take_share(arguments, job, samples);
  return samples;
}

// Checks every file that will be written and keeps other runs off it.
std::vector<OutputLock> lock_outputs(const LearnArguments& arguments) {
  if (arguments.output == "-")
    throw Error(ErrorKind::kUsage, "-o: - is not allowed: a model is a file that is replaced as a whole; name a file");
  std::vector<OutputLock> locks;
  std::vector<std::string> seen;
  const auto lock = [&](const std::string& option, const std::string& path) {
    require_writable(path);
    require_no_input(option, path, arguments.inputs);
    require_no_input(option, path, arguments.validation);
    require_other_file(option, path, seen);
    seen.push_back(path);
    locks.emplace_back(path);
  };
  lock("-o", arguments.output);
  require_ending("-o", arguments.output, "safetensors");
  if (!arguments.trace.empty()) lock("--trace", arguments.trace);
  if (!arguments.checkpoint.path.empty()) lock("--checkpoint", arguments.checkpoint.path);
  return locks;
}

// What a person sees and the trace keeps.
struct Shown {
  Shown(const LearnArguments& arguments, bool is_first)
      : progress(progress_style(arguments.quiet || !is_first, arguments.progress), arguments.options, phase),
        trace(is_first ? arguments.trace : "") {}

  LearnProgress phase;
  Progress progress;
  Trace trace;
};

LearnResult learn_with_progress(const LearnArguments& arguments, const Samples& samples,
                                const PreprocessOptions& preprocess, Shown& shown, const Job& job) {
  LearnContext context;
  context.hooks.progress = &shown.phase;
  context.preprocess = preprocess;
  context.validation = samples.validation();
  context.communicator = job.communicator();
  if (job.is_first()) {
    context.hooks.on_iteration = [&](const IterationRecord& record) {
      shown.trace.add(record);
      shown.progress.record(record);
      return Action::kContinue;
    };
    context.hooks.on_message = [&](const std::string& text) { shown.progress.message(text); };
  }
  context.hooks.interrupt = &interrupt_flag();
  context.checkpoint = arguments.checkpoint;
  try {
    if (samples.stream) return learn_stream(*samples.stream, arguments.options, context, arguments.passes);
    return learn(samples.training(), arguments.options, context);
  } catch (const Error& error) {
    // A signal before the first dictionary leaves nothing to save; that is no mistake of the user's.
    if (error.kind() != ErrorKind::kUsage || interrupt_exit_code() == 0) throw;
    shown.progress.message(error.what());
    throw Interrupted(interrupt_exit_code());
  }
}

// What rank 0 leaves: the model, the trace, the report.
void write_result(const LearnArguments& arguments, const LearnResult& result, Shown& shown) {
  if (result.summary.outcome == Outcome::kNumericalFailure)
    throw Error(ErrorKind::kNumerical, "learning failed, no model is written: " + result.summary.message);
  shown.trace.complete(result.summary.iterations);
  // Worded before anything is written: running out of memory afterwards would be an error with a new model in place.
  std::string told;
  if (arguments.json) told = dump(learn_json(result.summary, result.model, arguments.output), 2);
  std::string closing;
  if (!arguments.quiet) closing = closing_summary(result, arguments.output);
  result.model.save(arguments.output);
  shown.trace.publish();
  shown.progress.finish();
  if (arguments.json) write_stdout(told);
  say(closing);
}

// Refused before anything is opened.
void check_stream(const LearnArguments& arguments, const Job& job) {
  if (!arguments.stream.is_on()) {
    if (arguments.passes > 1) throw Error(ErrorKind::kUsage, "--passes: needs --stream");
    return;
  }
  if (job.size() > 1 && has_rank_mark(arguments.inputs))
    throw Error(ErrorKind::kUsage,
                "{rank}: is not allowed with --stream: every rank reads its share of the same files");
  if (arguments.passes > 1 && std::count(arguments.inputs.begin(), arguments.inputs.end(), "-") > 0)
    throw Error(ErrorKind::kUsage, "--passes: is not allowed with standard input: it can be gone through once");
}

int run_rank(LearnArguments& arguments) {
  const Job job;
  PreprocessOptions preprocess;
  std::vector<OutputLock> locks;
  Samples samples;
  job.together([&] {
    if (arguments.json && job.is_first()) require_stdout();
    preprocess = parse_preprocess(arguments.start);
    set_start(arguments.start, arguments.options);
    validate(arguments.options);
    if (arguments.checkpoint.resume && arguments.checkpoint.path.empty())
      throw Error(ErrorKind::kUsage, "--resume: needs --checkpoint FILE, the file to go on from");
    if (arguments.checkpoint_every_given && arguments.checkpoint.path.empty())
      throw Error(ErrorKind::kUsage, "--checkpoint-every: needs --checkpoint FILE, the file to write");
    check_stream(arguments, job);
    if (job.is_first()) locks = lock_outputs(arguments);
    catch_signals(arguments.checkpoint.path.empty() ? kSecondsToSaveAll : kSecondsToEnd);
  });
  Shown shown(arguments, job.is_first());
  shown.phase.begin("opening the input");
  job.together([&] { samples = open_samples(arguments, job); });
  if (job.is_first() && !arguments.quiet && samples.input)
    for (const std::string& note : (*samples.input)->notes()) shown.progress.note("Note: " + note + ".");
  const LearnResult result = learn_with_progress(arguments, samples, preprocess, shown, job);
  give_time_to_save();
  shown.phase.begin("writing the model");
  job.together([&] {
    if (job.is_first()) write_result(arguments, result, shown);
  });
  if (!result.summary.input_error.empty())
    throw Error(ErrorKind::kInput, result.summary.input_error + "; what came before is learned");
  return result.summary.outcome == Outcome::kInterrupted ? interrupt_exit_code() : 0;
}

int run_learn(LearnArguments& arguments) {
  if (launched_ranks() == 1) return run_rank(arguments);
  return guard_rank([&] { return run_rank(arguments); });
}

}  // namespace

Command add_learn(CLI::App& root) {
  CLI::App* app =
      root.add_subcommand("learn", "Learn a dictionary and its dual from samples, and save them as a model");
  const auto arguments = std::make_shared<LearnArguments>();
  app->footer(kLearnExamples);
  app->add_option("INPUT", arguments->inputs, "matrix files (npy, npz, csv, IDX), or images and folders with --patches")
      ->required()
      ->type_name("");
  app->add_option("-o,--output", arguments->output, "the model file to write")->required()->type_name("MODEL");
  for (const OptionInfo& row : learn_option_table()) add_table_flag(*app, arguments->options, row);
  add_data_flags(*app, arguments->data);
  add_stream_flags(*app, arguments->stream,
                   "learn from the samples as they are read, in constant memory; - is standard input (npy or --raw)");
  add_count(*app, "--passes", arguments->passes, "with --stream: how often the files are gone through; default 1", 1,
            1000000)
      ->group("Samples");
  add_start_flags(*app, arguments->start);
  app->add_option("--validation", arguments->validation,
                  "unseen samples on which the encoding modes are measured; may be repeated")
      ->type_name("INPUT")
      ->allow_extra_args(false)
      ->group("Samples");
  app->add_option("--trace", arguments->trace, "write one JSON object per iteration to this file")
      ->type_name("FILE")
      ->group("Output");
  app->add_option("--checkpoint", arguments->checkpoint.path,
                  "keep what is needed to go on in this file; the result is the same, bit for bit")
      ->type_name("FILE")
      ->group("Output");
  CLI::Option* every = add_number(*app, "--checkpoint-every", arguments->checkpoint.seconds,
                                  "seconds between two checkpoints, at ends of iterations; default 60", 0, 1e9);
  every->type_name("s")->group("Output");
  app->add_flag("--resume", arguments->checkpoint.resume,
                "go on from the checkpoint if it is there; the limits and --threads may differ")
      ->group("Output");
  app->add_flag("--json", arguments->json, "print the result as one JSON object on stdout")->group("Output");
  app->add_flag("--quiet", arguments->quiet, "print nothing but errors on stderr")->group("Output");
  app->add_flag("--progress", arguments->progress, "one line per iteration even when stderr is no terminal")
      ->group("Output");
  return {app, [arguments, every] {
            arguments->checkpoint_every_given = every->count() > 0;
            return run_learn(*arguments);
          }};
}

}  // namespace dualdict::cli
