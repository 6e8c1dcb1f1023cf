// SPDX-License-Identifier: BSD-3-Clause
// dualdict report
#include "dualdict/report.h"

#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/files.h"
#include "output.h"

namespace dualdict::cli {
namespace {

constexpr const char* kReportExamples =
    "Examples:\n"
    "  dualdict report digits.safetensors -o page.html\n"
    "  dualdict report digits.safetensors --trace run.jsonl --data digits.npy -o page.html\n"
    "  dualdict report patches.safetensors --data photos/ --patches 12x12 --samples 5000 -o page.html\n"
    "  dualdict report wine.safetensors --data wine.csv --feature-names columns.txt -o page.html\n";

struct ReportArguments {
  std::string model;
  std::string output;
  std::string title;
  std::string trace;
  std::vector<std::string> data;
  std::string feature_names;
  std::string sample_names;
  std::string labels;
  DataFlags flags;
};

int run_report(const ReportArguments& arguments) {
  std::vector<std::string> inputs = arguments.data;
  for (const std::string* path :
       {&arguments.model, &arguments.trace, &arguments.feature_names, &arguments.sample_names, &arguments.labels})
    if (!path->empty()) inputs.push_back(*path);
  require_ending("-o", arguments.output, "html");
  require_writable(arguments.output);
  require_no_input("-o", arguments.output, inputs);
  const OutputLock lock(arguments.output);
  const Model model = Model::load(arguments.model);
  ReportOptions options;
  options.title = arguments.title;
  if (!arguments.trace.empty()) options.trace = read_trace(arguments.trace);
  if (!arguments.feature_names.empty()) options.feature_names = read_names(arguments.feature_names);
  if (!arguments.sample_names.empty()) options.sample_names = read_names(arguments.sample_names);
  if (!arguments.labels.empty()) options.sample_labels = read_names(arguments.labels);
  std::unique_ptr<Input> input;
  if (!arguments.data.empty()) {
    input = std::make_unique<Input>(arguments.data, data_options(arguments.flags, 0, model.n_features()));
    options.data = &**input;
  }
  const std::string page = report_html(model, options);
  if (arguments.output == "-")
    write_stdout(page);
  else
    write_text_file(arguments.output, page);
  return 0;
}

}  // namespace

Command add_report(CLI::App& root) {
  CLI::App* app = root.add_subcommand("report", "Write a page that shows the model, to be opened in any browser");
  const auto arguments = std::make_shared<ReportArguments>();
  app->footer(kReportExamples);
  app->add_option("MODEL", arguments->model, "a model file")->required()->type_name("");
  app->add_option("-o,--output", arguments->output, "the HTML file to write; - for standard output")
      ->required()
      ->type_name("FILE");
  app->add_option("--trace", arguments->trace, "the trace of the fit, for the curves")->type_name("FILE");
  app->add_option("--data", arguments->data, "samples to code and show: matrix files, or images with --patches")
      ->allow_extra_args(false)
      ->type_name("INPUT");
  app->add_option("--title", arguments->title, "of the page; default: what was learned")->type_name("TEXT");
  app->add_option("--feature-names", arguments->feature_names, "a text file with the name of a feature in each line")
      ->type_name("FILE");
  app->add_option("--sample-names,--names", arguments->sample_names,
                  "the same for the samples of --data; of a .tsv the last column")
      ->type_name("FILE");
  app->add_option("--labels", arguments->labels, "the class of each sample of --data, a line each, to count by atom")
      ->type_name("FILE");
  add_data_flags(*app, arguments->flags);
  return {app, [arguments] { return run_report(*arguments); }};
}

}  // namespace dualdict::cli
