// SPDX-License-Identifier: BSD-3-Clause
// dualdict index
#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/exchange.h"
#include "dualdict/files.h"
#include "dualdict/options.h"
#include "dualdict/report.h"
#include "dualdict/search.h"
#include "output.h"
#include "signals.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr const char* kIndexExamples =
    "Examples:\n"
    "  dualdict index model.safetensors vectors.npy -o vectors.ddx --names texts.tsv\n"
    "  dualdict index model.safetensors more.npy -o vectors.ddx --names more.tsv --append\n"
    "  dualdict search vectors.ddx model.safetensors queries.npy\n";

struct IndexArguments {
  std::string model;
  std::string input;
  std::string output;
  std::string names;
  IndexOptions options;
  LearnOptions table;  // only the fields that have a flag here
  DataFlags data;
};

int run_index(const IndexArguments& arguments) {
  require_writable(arguments.output);
  require_no_input("-o", arguments.output, {arguments.model, arguments.input, arguments.names});
  const OutputLock lock(arguments.output);
  catch_signals();
  IndexOptions options = arguments.options;
  options.nonzeros = arguments.table.nonzeros;
  options.n_threads = arguments.table.n_threads;
  const Model model = load_any(arguments.model);
  const Input input({arguments.input}, data_options(arguments.data, 0));
  if (!arguments.names.empty()) options.names = read_names(arguments.names);
  options.interrupt = &interrupt_flag();
  if (!build_index(model, *input, arguments.output, options)) throw_if_interrupted();
  return 0;
}

}  // namespace

Command add_index(CLI::App& root) {
  CLI::App* app = root.add_subcommand("index", "Make an index of rows by their codes, to search");
  const auto arguments = std::make_shared<IndexArguments>();
  app->footer(kIndexExamples);
  app->add_option("MODEL", arguments->model, "a model file, or what `dualdict convert` reads")
      ->required()
      ->type_name("");
  app->add_option("INPUT", arguments->input, "rows: a matrix file, - for standard input, or images with --patches")
      ->required()
      ->type_name("");
  app->add_option("-o,--output", arguments->output, "the index to write")->required()->type_name("FILE");
  app->add_option("--names", arguments->names, "a text file with a line for each row; of a .tsv the last column")
      ->type_name("FILE");
  app->add_flag("--append", arguments->options.append, "add the rows to the index that is there, coded as its own are");
  app->add_flag("--decoded", arguments->options.decoded,
                "keep each row's code too, 4 bytes a nonzero, for `search --rerank`");
  add_mode_option(*app, arguments->options.mode, "how rows and queries are coded");
  add_table_flag(*app, arguments->table, *find_learn_option("nonzeros"), "per code on average; default the model's")
      ->group("Options");
  add_table_flag(*app, arguments->table, *find_learn_option("threads"), "number of threads; 0 for all")
      ->group("Options");
  add_data_flags(*app, arguments->data);
  return {app, [arguments] { return run_index(*arguments); }};
}

}  // namespace dualdict::cli
