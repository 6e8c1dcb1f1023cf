// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/description.h"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "dualdict/fields.h"

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

template <Record Type>
Json to_json(const Type& record) {
  return as_map(record, [] { return Json::object(); });
}

Json describe_outcome(const LearnSummary& summary) {
  const Json all = to_json(summary);
  Json json = Json::object();
  for (const auto& [name, value] : all.items())
    if (const std::string_view key = outcome_key(name); !key.empty()) json[std::string(key)] = value;
  return json;
}

Json describe_encoding(const EncodingTable& table) {
  Json json = to_json(table);
  json["rows"] = Json::array();
  for (const EncodingRow& row : table.rows) json["rows"].push_back(to_json(row));
  return json;
}

Json describe(const ModelParts& parts) {
  const Provenance& provenance = parts.provenance;
  const LearnSummary& summary = provenance.summary;
  // Not left to the first []: that one, finding no memory, leaves an object that cannot be destroyed.
  Json json = Json::object();
  json["schema"] = kModelSchema;
  json["version"] = provenance.version;
  json["shape"] = {{"n_atoms", parts.dictionary.rows()},
                   {"n_features", parts.dictionary.cols()},
                   {"sample_height", parts.shape.height},
                   {"sample_width", parts.shape.width},
                   {"sample_channels", parts.shape.channels}};
  json["dtype"] = parts.dtype == DType::kFloat32 ? "float32" : "float64";
  json["penalty"] = parts.penalty == Penalty::kL0 ? "l0" : "l1";
  json["tau"] = parts.tau;
  json["eta"] = parts.eta;
  json["mu"] = parts.mu;
  if (parts.learning_tau) json["learning_tau"] = *parts.learning_tau;
  if (parts.learning_eta) json["learning_eta"] = *parts.learning_eta;
  json["positive_codes"] = parts.positive_codes;
  if (!parts.own_mode.empty()) json["own_mode"] = parts.own_mode;
  json["mean_norm"] = parts.mean_norm;
  json["transform"] = to_json(parts.transform.options());
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
