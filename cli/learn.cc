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
#include "json.h"
#include "learn_report.h"
#include "learn_start.h"
#include "output.h"
#include "progress.h"
#include "row_range.h"
#include "signals.h"
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
    "  dualdict learn digits.npy -o digits.safetensors --atoms 200 --nonzeros 13 --checkpoint digits.ckpt --resume\n";

struct LearnArguments {
  std::vector<std::string> inputs;
  std::string output;
  LearnOptions options;
  DataFlags data;
  StartFlags start;
  std::vector<std::string> validation;
  std::string trace;
  CheckpointOptions checkpoint;
  bool json = false;
  bool quiet = false;
  bool progress = false;
};

// Unseen samples for the encoding table when patches are drawn anyway: as many more, up to 3000.
std::size_t extra_patches(const LearnArguments& arguments) {
  if (arguments.data.patches.empty() || !arguments.validation.empty()) return 0;
  return std::min<std::size_t>(3000, arguments.data.samples / 10);
}

// The samples to learn from and the samples to measure on, and what they are read from.
struct Samples {
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

Samples open_samples(const LearnArguments& arguments) {
  Samples samples;
  DataOptions options = data_options(arguments.data, arguments.options.seed);
  const std::size_t n_extra = extra_patches(arguments);
  if (options.patches) options.patches->n_samples += n_extra;
  samples.input = std::make_unique<Input>(arguments.inputs, options);
  if (n_extra > 0) {
    const DataSource& all = **samples.input;
    const std::size_t n_training = all.n_samples() - n_extra;
    samples.training_rows = std::make_unique<RowRange>(all, 0, n_training);
    samples.validation_rows = std::make_unique<RowRange>(all, n_training, n_extra);
  }
  if (!arguments.validation.empty()) {
    if (options.patches) {
      options.patches->n_samples = std::min<std::size_t>(3000, arguments.data.samples);
      // Other positions, should the images be the same.
      options.patches->seed += 1;
    }
    samples.validation_input = std::make_unique<Input>(arguments.validation, options);
  }
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
  if (!arguments.trace.empty()) lock("--trace", arguments.trace);
  if (!arguments.checkpoint.path.empty()) lock("--checkpoint", arguments.checkpoint.path);
  return locks;
}

LearnResult learn_with_progress(const LearnArguments& arguments, const Samples& samples,
                                const PreprocessOptions& preprocess, Trace& trace) {
  Progress progress(progress_style(arguments.quiet, arguments.progress), arguments.options);
  LearnContext context;
  context.preprocess = preprocess;
  context.validation = samples.validation();
  context.hooks.on_iteration = [&](const IterationRecord& record) {
    trace.add(record);
    progress.record(record);
    return Action::kContinue;
  };
  context.hooks.on_message = [&](const std::string& text) { progress.message(text); };
  context.hooks.interrupt = &interrupt_flag();
  context.checkpoint = arguments.checkpoint;
  try {
    return learn(samples.training(), arguments.options, context);
  } catch (const Error& error) {
    // A signal before the first dictionary leaves nothing to save; that is no mistake of the user's.
    if (error.kind() != ErrorKind::kUsage || interrupt_exit_code() == 0) throw;
    progress.message(error.what());
    throw Interrupted(interrupt_exit_code());
  }
}

int run_learn(LearnArguments arguments) {
  const PreprocessOptions preprocess = parse_preprocess(arguments.start);
  set_start(arguments.start, arguments.options);
  validate(arguments.options);
  if (arguments.checkpoint.resume && arguments.checkpoint.path.empty())
    throw Error(ErrorKind::kUsage, "--resume: needs --checkpoint FILE, the file to go on from");
  const std::vector<OutputLock> locks = lock_outputs(arguments);
  catch_signals();
  const Samples samples = open_samples(arguments);
  Trace trace(arguments.trace);
  const LearnResult result = learn_with_progress(arguments, samples, preprocess, trace);
  if (result.summary.outcome == Outcome::kNumericalFailure)
    throw Error(ErrorKind::kNumerical, "learning failed, no model is written: " + result.summary.message);
  trace.complete(result.summary.iterations);
  // Worded before anything is written: running out of memory afterwards would be an error with a new model in place.
  std::string told;
  if (arguments.json) told = dump(learn_json(result.summary, result.model, arguments.output), 2);
  std::string closing;
  if (!arguments.quiet) closing = closing_summary(result, arguments.output);
  result.model.save(arguments.output);
  trace.publish();
  if (arguments.json) write_stdout(told);
  std::fputs(closing.c_str(), stderr);
  return result.summary.outcome == Outcome::kInterrupted ? interrupt_exit_code() : 0;
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
  app->add_option("--checkpoint-every", arguments->checkpoint.seconds,
                  "seconds between two checkpoints, at ends of iterations; default 60")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("s")
      ->group("Output");
  app->add_flag("--resume", arguments->checkpoint.resume,
                "go on from the checkpoint if it is there; the limits and --threads may differ")
      ->group("Output");
  app->add_flag("--json", arguments->json, "print the result as one JSON object on stdout")->group("Output");
  app->add_flag("--quiet", arguments->quiet, "print nothing but errors on stderr")->group("Output");
  app->add_flag("--progress", arguments->progress, "one line per iteration even when stderr is no terminal")
      ->group("Output");
  return {app, [arguments] { return run_learn(*arguments); }};
}

}  // namespace dualdict::cli
