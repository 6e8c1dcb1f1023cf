// SPDX-License-Identifier: BSD-3-Clause
// dualdict verify
#include "dualdict/verify.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/error.h"
#include "dualdict/options.h"
#include "dualdict/pipeline.h"
#include "json.h"
#include "learn_report.h"
#include "output.h"
#include "signals.h"
#include "stream_flags.h"
#include "table_flags.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr const char* kVerifyExamples =
    "Examples:\n"
    "  dualdict verify digits.safetensors digits.npy\n"
    "  dualdict verify digits.safetensors digits.npy --json\n";

struct VerifyArguments {
  std::string model;
  std::string input;
  bool json = false;
  DataFlags data;
  StreamFlags stream;
  LearnOptions table;  // only the fields that have a flag here
};

std::string report(const Verification& result, Penalty penalty) {
  return "The checksum is right. Recomputed in double from " + std::to_string(result.n_samples) + " samples:\n" +
         align(
             {{"E", energy_text(result.energy)},
              {"nonzeros per code", short_number(result.nonzeros_per_code)},
              {"relative duality gap", short_number(result.duality_gap)},
              penalty == Penalty::kL0
                  ? std::vector<std::string>{"best move left", short_number(result.max_kkt_residual) + " prices"}
                  : std::vector<std::string>{"largest KKT residual", short_number(result.max_kkt_residual) + " tau/K"},
              {"largest atom norm", short_number(result.max_atom_norm)},
              {"largest filter norm", short_number(result.max_filter_norm)},
              {"tau_max", short_number(result.tau_max)}},
             2, "  ");
}

void require_norms(const Verification& result, const std::string& path, const Model& model) {
  const double limit = 1 + (model.dtype() == DType::kFloat32 ? 1e-6 : 1e-12);
  const bool bounds_filters = model.parts().penalty == Penalty::kL1;
  const double norm = std::max(result.max_atom_norm, bounds_filters ? result.max_filter_norm : 0.0);
  if (norm <= limit) return;
  char text[64];
  std::snprintf(text, sizeof text, "%.15g, over %.15g", norm, limit);
  throw Error(ErrorKind::kNumerical, path + ": the norm of " +
                                         (norm == result.max_atom_norm ? "an atom" : "a filter of the dual") + " is " +
                                         text + ": atoms and filters must have norm at most 1");
}

void throw_if_nothing(const Verification& result, const SampleStream& stream) {
  if (result.n_samples > 0) return;
  throw_if_interrupted();
  throw Error(ErrorKind::kInput, stream.name() + ": holds no sample");
}

// Until the stream ends, or a signal asks for the result so far.
Verification verify_stream(const Model& model, const VerifyArguments& arguments) {
  catch_signals();
  const auto stream = open_input_stream({arguments.input}, arguments.stream, arguments.data, arguments.table.seed,
                                        model.n_features(), arguments.model);
  Verifier verifier(model, arguments.table.n_threads);
  const RowsSink<double> add = [&](MatrixView<const double> rows, std::size_t) { verifier.add(*make_source(rows)); };
  for_each_block(*stream, add, &interrupt_flag());
  throw_if_nothing(verifier.result(), *stream);
  return verifier.result();
}

int run_verify(const VerifyArguments& arguments) {
  const Model model = Model::load(arguments.model);
  Verification result;
  if (arguments.stream.is_on()) {
    result = verify_stream(model, arguments);
  } else {
    const Input input({arguments.input}, data_options(arguments.data, arguments.table.seed, model.n_features()));
    result = verify(model, *input, arguments.table.n_threads);
  }
  write_stdout(arguments.json ? dump(verification_json(result), 2) : report(result, model.parts().penalty));
  require_norms(result, arguments.model, model);
  return interrupt_exit_code();
}

}  // namespace

Command add_verify(CLI::App& root) {
  CLI::App* app = root.add_subcommand("verify", "Check a model against samples with separate, plain code in double");
  const auto arguments = std::make_shared<VerifyArguments>();
  app->footer(kVerifyExamples);
  app->add_option("MODEL", arguments->model, "a model file")->required()->type_name("");
  app->add_option("INPUT", arguments->input, "samples: a matrix file, or images with --patches")
      ->required()
      ->type_name("");
  app->add_flag("--json", arguments->json, "as one JSON object");
  add_table_flag(*app, arguments->table, *find_learn_option("threads"), "number of threads; 0 for all")
      ->group("Options");
  add_data_flags(*app, arguments->data);
  add_stream_flags(*app, arguments->stream, "read the samples once, as they come; Ctrl-C shows the result so far");
  add_table_flag(*app, arguments->table, *find_learn_option("seed"), "of the patches; default 0")->group("Samples");
  return {app, [arguments] { return run_verify(*arguments); }};
}

}  // namespace dualdict::cli
