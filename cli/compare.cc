// SPDX-License-Identifier: BSD-3-Clause
// dualdict compare
#include <memory>

#include "command.h"
#include "dualdict/audit.h"
#include "dualdict/exchange.h"
#include "dualdict/files.h"
#include "json.h"
#include "output.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  dualdict compare seed1.safetensors seed2.safetensors\n"
    "  dualdict compare model.safetensors downloaded-sae/ -o alike.html\n";

struct CompareArguments {
  std::string first;
  std::string second;
  std::string output;
  bool json = false;
};

std::string comparison_text(const Comparison& result) {
  const auto row = [](const std::string& name, double atoms, double filters) {
    return std::vector<std::string>{name, short_number(atoms), short_number(filters)};
  };
  const Matched &d = result.dictionary, &c = result.dual;
  return align({{"paired one to one", "atoms (D)", "filters (C)"},
                row("mean |cosine| (PW-MCC)", d.mean, c.mean),
                row("share above .9", d.share_above_9, c.share_above_9),
                {"filters on the pairs of the atoms", "", short_number(result.dual_on_pairs)},
                row("mean largest |cosine|, not one to one", d.mean_largest, c.mean_largest)},
               1, "  ") +
         "Mean largest |cosine| of an atom with another of its own model: " + short_number(result.within_first) +
         " and " + short_number(result.within_second) + ".\n";
}

int run_compare(const CompareArguments& arguments) {
  if (!arguments.output.empty()) {
    require_ending("-o", arguments.output, "html");
    require_writable(arguments.output);
    require_no_input("-o", arguments.output, {arguments.first, arguments.second});
  }
  const Comparison result = compare(load_any(arguments.first), load_any(arguments.second));
  if (!arguments.output.empty())
    write_text_file(arguments.output, comparison_html(result, arguments.first, arguments.second));
  Json json = to_json(result);
  if (arguments.json) json["pairs"] = result.dictionary.pairs;
  write_stdout(arguments.json ? dump(json, 2) : comparison_text(result));
  return 0;
}

}  // namespace

Command add_compare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("compare", "Say how alike two dictionaries are, atom by atom");
  const auto arguments = std::make_shared<CompareArguments>();
  app->footer(kCompareExamples);
  app->add_option("FIRST", arguments->first, "a model file, or what `dualdict convert` reads")
      ->required()
      ->type_name("");
  app->add_option("SECOND", arguments->second, "the same")->required()->type_name("");
  app->add_option("-o,--output", arguments->output, "also write a page with the picture (html)")->type_name("FILE");
  app->add_flag("--json", arguments->json, "as one JSON object, with the partner of each atom");
  return {app, [arguments] { return run_compare(*arguments); }};
}

}  // namespace dualdict::cli
