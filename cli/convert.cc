// SPDX-License-Identifier: BSD-3-Clause
// dualdict convert
#include <algorithm>
#include <memory>

#include "command.h"
#include "dualdict/data.h"
#include "dualdict/error.h"
#include "dualdict/exchange.h"
#include "dualdict/files.h"
#include "output.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

constexpr const char* kConvertExamples =
    "Examples:\n"
    "  dualdict convert downloaded-sae/ -o sae.safetensors\n"
    "  dualdict convert model.safetensors -o sae/ --to saelens --mode hard --split-signs\n"
    "  dualdict convert atoms.npy -o model.safetensors\n"
    "  dualdict convert codes.npz -o codes.jsonl\n";

constexpr const char* kModelName = "model";
constexpr const char* kTermsName = "terms";

struct ConvertArguments {
  std::string input;
  std::string output;
  std::string to;
  ExportOptions options;
};

std::string format_help() {
  std::string text =
      "what to write: model, a model file (default); terms, codes for search engines, a JSON object a line";
  for (const ForeignFormat& format : foreign_formats())
    text += "; " + std::string(format.name) + ", " + std::string(format.help);
  return text;
}

// What the ending says, where nothing else does.
std::string target_of(const ConvertArguments& arguments) {
  if (!arguments.to.empty()) return arguments.to;
  if (arguments.output.ends_with(".npy")) return "dictionary";
  if (arguments.output.ends_with(".jsonl") || arguments.output.ends_with(".json")) return kTermsName;
  return kModelName;
}

void require_format(const std::string& name) {
  const auto formats = foreign_formats();
  std::string names = std::string(kModelName) + ", " + kTermsName;
  for (const ForeignFormat& format : formats) {
    if (format.name == name) return;
    names += ", " + std::string(format.name);
  }
  if (name != kModelName && name != kTermsName)
    throw Error(ErrorKind::kUsage, "--to: " + name + " is not allowed: one of " + names);
}

int run_convert(const ConvertArguments& arguments) {
  const std::string to = target_of(arguments);
  require_format(to);
  require_no_input("-o", arguments.output, {arguments.input});
  if (to != kModelName && to != "dictionary" && to != kTermsName) {
    export_model(load_any(arguments.input), arguments.output, to, arguments.options);
    return 0;
  }
  require_writable(arguments.output);
  const OutputLock lock(arguments.output);
  if (to == kTermsName)
    write_search_terms(*open_data({arguments.input}), arguments.output);
  else if (to == kModelName)
    load_any(arguments.input).save(arguments.output);
  else
    export_model(load_any(arguments.input), arguments.output, to);
  return 0;
}

}  // namespace

Command add_convert(CLI::App& root) {
  CLI::App* app = root.add_subcommand("convert", "Read and write the models of other programs");
  const auto arguments = std::make_shared<ConvertArguments>();
  app->footer(kConvertExamples);
  app->add_option("INPUT", arguments->input,
                  "a model file, a folder of another program, atoms (npy, safetensors), or codes for --to terms")
      ->required()
      ->type_name("");
  app->add_option("-o,--output", arguments->output, "file or folder to write")->required()->type_name("PATH");
  app->add_option("--to", arguments->to, format_help())->type_name("FORMAT");
  add_mode_option(*app, arguments->options.mode,
                  "the encoder that is written; default the model's own. What is one product and a cut can be: "
                  "hard, topk:k, sparse. All modes");
  app->add_flag("--split-signs", arguments->options.split_signs,
                "write two atoms for each, one for either sign, where the other program's codes are never negative");
  return {app, [arguments] { return run_convert(*arguments); }};
}

}  // namespace dualdict::cli
