// SPDX-License-Identifier: BSD-3-Clause
// dualdict info
#include <memory>

#include "command.h"
#include "dualdict/model.h"
#include "dualdict/options.h"
#include "learn_report.h"
#include "output.h"
#include "printable.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr const char* kInfoExamples =
    "Examples:\n"
    "  dualdict info digits.safetensors\n"
    "  dualdict info digits.safetensors --json\n";

std::string header(const Model& model) {
  const ModelParts& parts = model.parts();
  const LearnSummary& summary = parts.provenance.summary;
  std::string text = std::to_string(model.n_atoms()) + " atoms of " + std::to_string(model.n_features()) + " features";
  if (parts.shape.height > 0)
    text += " (" + std::to_string(parts.shape.height) + " x " + std::to_string(parts.shape.width) +
            (parts.shape.channels == 1 ? ")" : " x " + std::to_string(parts.shape.channels) + ")");
  text += model.dtype() == DType::kFloat32 ? ", float32" : ", float64";
  text += ", learned from " + std::to_string(summary.n_samples) + " samples of " +
          one_line(parts.provenance.data_name) + " by dualdict " + one_line(parts.provenance.version) + ".\n";
  text += std::string(outcome_name(summary.outcome)) + " after " + std::to_string(summary.n_iterations) +
          " iterations, " + duration(summary.seconds) + ": " + one_line(summary.message) + "\n";
  if (!summary.advice.empty()) text += "Note: " + one_line(summary.advice) + ".\n";
  return text;
}

std::string results(const LearnSummary& summary) {
  return align({{"E", energy_text(summary.energy)},
                {"nonzeros per code", short_number(summary.nonzeros_per_code)},
                {"relative duality gap", short_number(summary.duality_gap)},
                {"dead atoms", summary.dead_atoms ? std::to_string(*summary.dead_atoms) : "not measured"},
                {"tau, tau_max", short_number(summary.tau) + ", " + short_number(summary.tau_max)},
                {"coding weight eta d/K", short_number(summary.coding_weight)},
                {"threshold tau d/K", short_number(summary.threshold)}},
               2, "  ");
}

std::string options_used(const LearnSummary& summary) {
  std::vector<std::vector<std::string>> rows;
  for (const OptionInfo& row : learn_option_table()) {
    const std::string given = option_text(summary.given, row);
    const std::string used = option_text(summary.used, row);
    if (used.empty()) continue;
    rows.push_back({"--" + std::string(row.name), used, given == used ? "" : "(found, not given)"});
  }
  return "Options used:\n" + align(rows, 3, "  ");
}

std::string transform_text(const PreprocessOptions& options) {
  std::string text;
  const auto add = [&](const std::string& step) { text += (text.empty() ? "" : ", ") + step; };
  if (options.scale != 1.0) add("divide by " + short_number(options.scale));
  if (options.center_features) add("subtract the training mean");
  if (options.center_samples) add("subtract each sample's mean");
  if (options.unit_norm) add("scale each sample to norm 1");
  return "Preprocessing: " + (text.empty() ? "none" : text) + ".\n";
}

int run_info(const std::string& path, bool json) {
  const Model model = Model::load(path);
  if (json) {
    write_stdout(printable_json(describe_json(model)) + "\n");
    return 0;
  }
  const Provenance& provenance = model.parts().provenance;
  write_stdout(header(model) + results(provenance.summary) + transform_text(model.parts().transform.options()) +
               options_used(provenance.summary) + encoding_text(provenance.encoding));
  return 0;
}

}  // namespace

Command add_info(CLI::App& root) {
  struct InfoArguments {
    std::string model;
    bool json = false;
  };
  CLI::App* app = root.add_subcommand("info", "Say what a model is, where it came from and how well it encodes");
  const auto arguments = std::make_shared<InfoArguments>();
  app->footer(kInfoExamples);
  app->add_option("MODEL", arguments->model, "a model file")->required()->type_name("");
  app->add_flag("--json", arguments->json, "as one JSON object");
  return {app, [arguments] { return run_info(arguments->model, arguments->json); }};
}

}  // namespace dualdict::cli
