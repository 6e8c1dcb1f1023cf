// SPDX-License-Identifier: BSD-3-Clause
// dualdict audit
#include "dualdict/audit.h"

#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/exchange.h"
#include "dualdict/files.h"
#include "json.h"
#include "output.h"
#include "table_flags.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr const char* kAuditExamples =
    "Examples:\n"
    "  dualdict audit model.safetensors vectors.npy\n"
    "  dualdict audit downloaded-sae/ activations.npy --json\n"
    "  dualdict audit downloaded-sae/ activations.npy -o audit.html\n";

struct AuditArguments {
  std::string model;
  std::string input;
  std::string output;
  bool json = false;
  AuditOptions options;
  DataFlags data;
};

Json audit_json(const Audit& result) {
  Json json = to_json(result);
  json["rows"] = Json::array();
  for (const AuditRow& row : result.rows) json["rows"].push_back(to_json(row));
  return json;
}

std::string audit_text(const Audit& result) {
  std::vector<std::vector<std::string>> rows = {
      {"code", "nonzeros", "unexplained", "explained", "us/sample", "duality gap"}};
  for (const AuditRow& row : result.rows)
    rows.push_back({row.code, short_number(row.nonzeros), short_number(row.unexplained), short_number(row.explained),
                    short_number(row.microseconds), short_number(row.gap)});
  std::string text = std::to_string(result.n_atoms) + " atoms of " + std::to_string(result.n_features) +
                     " features, own code " + result.mode + ", " + std::to_string(result.n_samples) +
                     " samples; all codes are of this dictionary.\n" + align(rows, 1, "  ");
  if (result.lost_to_greedy > 0)
    text += "Its own code leaves " + short_number(result.lost_to_greedy) +
            " times the variance that greedy codes leave, and " + short_number(result.lost_to_exact) +
            " times that of exact codes after least squares.\n";
  text += align({{"dead atoms", std::to_string(result.dead_atoms) + " of " + std::to_string(result.n_atoms)},
                 {"mean largest cosine", short_number(result.mean_largest_cosine)},
                 {"largest cosine", short_number(result.largest_cosine)}},
                2, "  ");
  return text + (result.note.empty() ? "" : "Note: " + result.note + ".\n");
}

int run_audit(const AuditArguments& arguments) {
  if (!arguments.output.empty()) {
    require_ending("-o", arguments.output, "html");
    require_writable(arguments.output);
    require_no_input("-o", arguments.output, {arguments.model, arguments.input});
  }
  const Model model = load_any(arguments.model);
  const Input input({arguments.input}, data_options(arguments.data, 0));
  const Audit result = audit(model, *input, arguments.options);
  if (!arguments.output.empty()) write_text_file(arguments.output, audit_html(result, arguments.model));
  write_stdout(arguments.json ? dump(audit_json(result), 2) : audit_text(result));
  return 0;
}

}  // namespace

Command add_audit(CLI::App& root) {
  CLI::App* app = root.add_subcommand("audit", "Say what an encoder loses on its own dictionary");
  const auto arguments = std::make_shared<AuditArguments>();
  app->footer(kAuditExamples);
  app->add_option("MODEL", arguments->model, "a model file, or what `dualdict convert` reads")
      ->required()
      ->type_name("");
  app->add_option("INPUT", arguments->input, "samples: a matrix file, - for standard input, or images with --patches")
      ->required()
      ->type_name("");
  app->add_option("-o,--output", arguments->output, "also write a page (html)")->type_name("FILE");
  app->add_flag("--json", arguments->json, "as one JSON object");
  add_mode_option(*app, arguments->options.mode, "whose codes are audited; default the model's own, if one product");
  add_count(*app, "--most", arguments->options.most_samples,
            "samples to look at, evenly spread over the input; default 2000", 1, 1000000);
  add_data_flags(*app, arguments->data);
  return {app, [arguments] { return run_audit(*arguments); }};
}

}  // namespace dualdict::cli
