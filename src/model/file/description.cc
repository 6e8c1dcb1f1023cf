// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/description.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

// One member of the document for each option of the table: numbers, booleans, names of choices, null when not set.
Json describe_options(const LearnOptions& options) {
  Json json = Json::object();
  for (const OptionInfo& option : learn_option_table())
    json[std::string(option.name)] = std::visit(
        [&]<class Value>(Value LearnOptions::*field) -> Json {
          if constexpr (std::is_enum_v<Value>)
            return option_text(options, option);
          else if constexpr (std::is_same_v<Value, std::optional<double>>)
            return (options.*field).has_value() ? Json(*(options.*field)) : Json();
          else
            return options.*field;
        },
        option.field);
  return json;
}

Json describe_energy(const Energy& energy) {
  return {{"total", energy.total()},
          {"reconstruction", energy.reconstruction},
          {"coding", energy.coding},
          {"l1", energy.l1},
          {"l2", energy.l2}};
}

Json describe_outcome(const LearnSummary& summary) {
  return {{"name", outcome_name(summary.outcome)},
          {"message", summary.message},
          {"iterations", summary.n_iterations},
          {"seconds", summary.seconds},
          {"energy", describe_energy(summary.energy)},
          {"nonzeros_per_code", summary.nonzeros_per_code},
          {"duality_gap", summary.duality_gap},
          {"max_kkt_residual", summary.max_kkt_residual},
          {"tau", summary.tau},
          {"tau_max", summary.tau_max},
          {"coding_weight", summary.coding_weight},
          {"threshold", summary.threshold},
          {"replaced_atoms", summary.replaced_atoms},
          {"dead_atoms", summary.dead_atoms}};
}

Json describe_encoding(const EncodingTable& table) {
  Json rows = Json::array();
  for (const EncodingRow& row : table.rows)
    rows.push_back({{"mode", row.mode},
                    {"code_error", row.code_error},
                    {"energy_excess", row.energy_excess},
                    {"reconstruction_error", row.reconstruction_error},
                    {"dictionary_reconstruction_error", row.dictionary_reconstruction_error},
                    {"debiased_reconstruction_error", row.debiased_reconstruction_error},
                    {"nonzeros", row.nonzeros},
                    {"support_overlap", row.support_overlap},
                    {"samples_per_second", row.samples_per_second}});
  return {{"n_fit", table.n_fit},
          {"n_measured", table.n_measured},
          {"held_out", table.held_out},
          {"unseen", table.unseen},
          {"rows", std::move(rows)}};
}

Json describe(const ModelParts& parts) {
  const Provenance& provenance = parts.provenance;
  const LearnSummary& summary = provenance.summary;
  const PreprocessOptions& preprocess = parts.transform.options();
  // Not left to the first []: that one, finding no memory, leaves an object that cannot be destroyed.
  Json json = Json::object();
  json["schema"] = kModelSchema;
  json["version"] = provenance.version;
  json["shape"] = {{"n_atoms", parts.dictionary.rows()},
                   {"n_features", parts.dictionary.cols()},
                   {"sample_height", parts.shape.height},
                   {"sample_width", parts.shape.width}};
  json["dtype"] = parts.dtype == DType::kFloat32 ? "float32" : "float64";
  json["tau"] = parts.tau;
  json["eta"] = parts.eta;
  json["mu"] = parts.mu;
  json["positive_codes"] = parts.positive_codes;
  json["mean_norm"] = parts.mean_norm;
  json["transform"] = {{"scale", preprocess.scale},
                       {"center_features", preprocess.center_features},
                       {"center_samples", preprocess.center_samples},
                       {"unit_norm", preprocess.unit_norm}};
  json["options_given"] = describe_options(summary.given);
  json["options_used"] = describe_options(summary.used);
  json["data"] = {{"name", provenance.data_name},
                  {"fingerprint", provenance.data_fingerprint},
                  {"n_samples", summary.n_samples},
                  {"n_features", summary.n_features}};
  json["outcome"] = describe_outcome(summary);
  json["encoding"] = describe_encoding(provenance.encoding);
  json["usage"] = provenance.usage;
  return json;
}

}  // namespace

std::string description_text(const ModelParts& parts) {
  return describe(parts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string describe_json(const Model& model) {
  return description_text(model.parts());
}

}  // namespace dualdict
