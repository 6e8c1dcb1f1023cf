// SPDX-License-Identifier: BSD-3-Clause
// dualdict decode
#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/error.h"
#include "dualdict/options.h"
#include "dualdict/pipeline.h"
#include "output.h"
#include "signals.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr const char* kDecodeExamples =
    "Examples:\n"
    "  dualdict decode digits.safetensors codes.npy -o again.npy\n"
    "  dualdict decode digits.safetensors codes.npy -o again.npy --mode exact\n";

struct DecodeArguments {
  std::string model;
  std::string codes;
  std::string output;
  std::string mode;
  LearnOptions table;  // only the fields that have a flag here
  std::optional<bool> debias;
};

int run_decode(const DecodeArguments& arguments) {
  require_ending("-o", arguments.output, "npy");
  require_writable(arguments.output);
  require_no_input("-o", arguments.output, {arguments.model, arguments.codes});
  const OutputLock lock(arguments.output);
  catch_signals();
  const Model model = Model::load(arguments.model);
  const Input codes({arguments.codes}, {});
  if (codes->n_features() != model.n_atoms())
    throw Error(ErrorKind::kInput, codes->name() + ": codes of " + std::to_string(codes->n_features()) +
                                       " values are not allowed: " + arguments.model + " has " +
                                       std::to_string(model.n_atoms()) + " atoms");
  const std::string mode(arguments.mode.empty() ? default_mode(model) : arguments.mode);
  const Decoder decoder(model, mode, decode_with(mode, arguments.debias));
  MatrixWriter writer(arguments.output, MatrixFormat::kNpy, model.dtype(), codes->n_samples(), model.n_features());
  if (!decode(decoder, *codes, writer, arguments.table.n_threads, &interrupt_flag())) throw_if_interrupted();
  return 0;
}

}  // namespace

Command add_decode(CLI::App& root) {
  CLI::App* app = root.add_subcommand("decode", "Turn codes back into samples");
  const auto arguments = std::make_shared<DecodeArguments>();
  app->footer(kDecodeExamples);
  app->add_option("MODEL", arguments->model, "a model file")->required()->type_name("");
  app->add_option("CODES", arguments->codes, "codes, one row per sample; - for standard input")
      ->required()
      ->type_name("");
  app->add_option("-o,--output", arguments->output, "samples to write; - for standard output")
      ->required()
      ->type_name("FILE");
  add_mode_option(*app, arguments->mode, "how the codes were made");
  add_debias_flag(*app, arguments->debias);
  add_table_flag(*app, arguments->table, *find_learn_option("threads"), "number of threads; 0 for all")
      ->group("Options");
  return {app, [arguments] { return run_decode(*arguments); }};
}

}  // namespace dualdict::cli
