// SPDX-License-Identifier: BSD-3-Clause
// dualdict score
#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <numeric>
#include <vector>

#include "command.h"
#include "dualdict/options.h"
#include "dualdict/pipeline.h"
#include "json.h"
#include "output.h"
#include "signals.h"
#include "stream_flags.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr const char* kScoreExamples =
    "Examples:\n"
    "  dualdict score digits.safetensors digits.npy > errors.txt\n"
    "  dualdict score digits.safetensors digits.npy --json\n"
    "  producer | dualdict score digits.safetensors - --raw float32 | consumer\n";

struct ScoreArguments {
  std::string model;
  std::string input;
  std::string mode;
  bool absolute = false;
  bool json = false;
  std::optional<bool> debias;
  LearnOptions table;  // only the fields that have a flag here
  DataFlags data;
  StreamFlags stream;
};

// One number a line, in the shortest form that reads back to the same bits.
void print_numbers(const std::vector<double>& numbers) {
  std::string text;
  std::array<char, 32> buffer{};
  for (const double number : numbers) {
    const auto result = std::to_chars(buffer.begin(), buffer.end(), number);
    text.append(buffer.data(), result.ptr);
    text += '\n';
  }
  write_stdout(text);
}

// Hands the errors of some samples to `use` as they come.
template <class T, class Use>
void score_stream(const Encoder& encoder, bool relative, SampleStream& stream, const Use& use) {
  std::vector<double> errors;
  const RowsSink<T> score = [&](MatrixView<const T> rows, std::size_t) {
    errors.resize(rows.rows);
    encoder.score(rows, errors, relative);
    use(errors);
  };
  for_each_block(stream, score, &interrupt_flag());
}

template <class Use>
void score_samples(const Encoder& encoder, bool relative, SampleStream& stream, const Use& use) {
  if (encoder.model().dtype() == DType::kFloat32)
    score_stream<float>(encoder, relative, stream, use);
  else
    score_stream<double>(encoder, relative, stream, use);
}

Json score_json(const Encoder& encoder, bool relative, const std::vector<double>& errors) {
  Json json;
  json["mode"] = encoder.mode();
  json["relative"] = relative;
  json["n_samples"] = errors.size();
  if (errors.empty()) {
    json["mean"] = nullptr;
    json["worst"] = nullptr;
  } else {
    json["mean"] = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    json["worst"] = *std::max_element(errors.begin(), errors.end());
  }
  json["errors"] = errors;
  return json;
}

int run_score(const ScoreArguments& arguments) {
  EncodeOptions options;
  options.mode = arguments.mode;
  options.debias = arguments.debias;
  options.n_threads = arguments.table.n_threads;
  catch_signals();
  const Model model = Model::load(arguments.model);
  const auto stream = open_input_stream({arguments.input}, arguments.stream, arguments.data, arguments.table.seed,
                                        model.n_features(), arguments.model);
  const Encoder encoder(model, options);
  const bool relative = !arguments.absolute;
  if (!arguments.json) {
    score_samples(encoder, relative, *stream, print_numbers);
    return interrupt_exit_code();
  }
  std::vector<double> all;
  score_samples(encoder, relative, *stream,
                [&](const std::vector<double>& errors) { all.insert(all.end(), errors.begin(), errors.end()); });
  write_stdout(dump(score_json(encoder, relative, all), 2));
  return interrupt_exit_code();
}

}  // namespace

Command add_score(CLI::App& root) {
  CLI::App* app = root.add_subcommand("score", "Print the reconstruction error of every sample, one number a line");
  const auto arguments = std::make_shared<ScoreArguments>();
  app->footer(kScoreExamples);
  app->add_option("MODEL", arguments->model, "a model file")->required()->type_name("");
  app->add_option("INPUT", arguments->input,
                  "samples: a matrix file, - for standard input (npy, or records with --raw), or images with --patches")
      ->required()
      ->type_name("");
  add_mode_option(*app, arguments->mode, "how the samples are encoded");
  add_debias_flag(*app, arguments->debias);
  app->add_flag("--absolute", arguments->absolute, "|x - decoded| instead of |x - decoded| / |x|");
  app->add_flag("--json", arguments->json, "one JSON document: mode, mean, worst and all errors");
  add_table_flag(*app, arguments->table, *find_learn_option("threads"), "number of threads; 0 for all")
      ->group("Options");
  add_data_flags(*app, arguments->data);
  add_stream_flags(*app, arguments->stream, "allowed, but always so: samples are scored as they come");
  add_table_flag(*app, arguments->table, *find_learn_option("seed"), "of the patches; default 0")->group("Samples");
  return {app, [arguments] { return run_score(*arguments); }};
}

}  // namespace dualdict::cli
