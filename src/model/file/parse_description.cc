// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "dualdict/error.h"
#include "model/file/description.h"

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

// A value of the document and the way to it, for messages.
class Field {
 public:
  Field(const Json& value, const std::string& file, std::string path)
      : value_(value), file_(file), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& rule) const {
    throw Error(ErrorKind::kInput, file_ + ": description: " + (path_.empty() ? "the document" : path_) + " " + rule);
  }

  Field operator[](const std::string& key) const {
    if (!value_.is_object()) fail("must be an object");
    const auto found = value_.find(key);
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (found == value_.end()) throw Error(ErrorKind::kInput, file_ + ": description: " + path + " is missing");
    return Field(*found, file_, path);
  }
  bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }
  std::vector<Field> elements() const {
    if (!value_.is_array()) fail("must be a list");
    std::vector<Field> result;
    for (std::size_t i = 0; i < value_.size(); ++i)
      result.emplace_back(value_[i], file_, path_ + "[" + std::to_string(i) + "]");
    return result;
  }

  void read(bool& to) const {
    if (!value_.is_boolean()) fail("must be true or false");
    to = value_.get<bool>();
  }
  void read(std::string& to) const {
    if (!value_.is_string()) fail("must be a string");
    to = value_.get<std::string>();
  }
  void read(std::size_t& to) const {
    if (!value_.is_number_unsigned()) fail("must be a whole number from 0 to 2^64 - 1");
    to = value_.get<std::size_t>();
  }
  void read(double& to) const {
    if (!value_.is_number()) fail("must be a number");
    to = value_.get<double>();
    if (!std::isfinite(to)) fail("must be a finite number");
  }
  void read(std::optional<double>& to) const {
    to.reset();
    if (!value_.is_null()) read(to.emplace());
  }
  void read(Outcome& to) const {
    constexpr std::array kOutcomes = {Outcome::kConverged,       Outcome::kIterationLimit, Outcome::kTimeLimit,
                                      Outcome::kStopped,         Outcome::kInterrupted,    Outcome::kTrivial,
                                      Outcome::kNumericalFailure};
    std::string name;
    read(name);
    for (const Outcome outcome : kOutcomes) {
      if (outcome_name(outcome) != name) continue;
      to = outcome;
      return;
    }
    fail("must be the name of an outcome, such as CONVERGED");
  }
  // A measurement: null when it could not be made.
  void read_measured(double& to) const {
    if (value_.is_null())
      to = std::numeric_limits<double>::quiet_NaN();
    else
      read(to);
  }

 private:
  const Json& value_;
  const std::string& file_;
  std::string path_;
};

// An option that the model's version did not have keeps its default.
void read_options(const Field& json, LearnOptions& options) {
  for (const OptionInfo& option : learn_option_table()) {
    if (!option.required && !json.has(std::string(option.name))) continue;
    const Field field = json[std::string(option.name)];
    std::visit(
        [&]<class Value>(Value LearnOptions::*member) {
          if constexpr (std::is_enum_v<Value>) {
            std::string text;
            field.read(text);
            try {
              set_option(options, option, text);
            } catch (const Error&) {
              field.fail("must be " + option_rule(option));
            }
          } else {
            field.read(options.*member);
          }
        },
        option.field);
  }
}

void read_outcome(const Field& json, LearnSummary& summary) {
  json["name"].read(summary.outcome);
  json["message"].read(summary.message);
  json["iterations"].read(summary.n_iterations);
  json["seconds"].read_measured(summary.seconds);
  const Field energy = json["energy"];
  energy["reconstruction"].read_measured(summary.energy.reconstruction);
  energy["coding"].read_measured(summary.energy.coding);
  energy["l1"].read_measured(summary.energy.l1);
  energy["l2"].read_measured(summary.energy.l2);
  json["nonzeros_per_code"].read_measured(summary.nonzeros_per_code);
  json["duality_gap"].read_measured(summary.duality_gap);
  json["max_kkt_residual"].read_measured(summary.max_kkt_residual);
  json["tau"].read_measured(summary.tau);
  json["tau_max"].read_measured(summary.tau_max);
  json["coding_weight"].read_measured(summary.coding_weight);
  json["threshold"].read_measured(summary.threshold);
  json["replaced_atoms"].read(summary.replaced_atoms);
  json["dead_atoms"].read(summary.dead_atoms);
}

void read_encoding(const Field& json, EncodingTable& table) {
  json["n_fit"].read(table.n_fit);
  json["n_measured"].read(table.n_measured);
  json["held_out"].read(table.held_out);
  json["unseen"].read(table.unseen);
  for (const Field& element : json["rows"].elements()) {
    EncodingRow& row = table.rows.emplace_back();
    element["mode"].read(row.mode);
    element["code_error"].read_measured(row.code_error);
    element["energy_excess"].read_measured(row.energy_excess);
    element["reconstruction_error"].read_measured(row.reconstruction_error);
    element["dictionary_reconstruction_error"].read_measured(row.dictionary_reconstruction_error);
    element["debiased_reconstruction_error"].read_measured(row.debiased_reconstruction_error);
    element["nonzeros"].read_measured(row.nonzeros);
    element["support_overlap"].read_measured(row.support_overlap);
    element["samples_per_second"].read_measured(row.samples_per_second);
  }
}

void read_provenance(const Field& json, Provenance& provenance) {
  json["version"].read(provenance.version);
  const Field data = json["data"];
  data["name"].read(provenance.data_name);
  data["fingerprint"].read(provenance.data_fingerprint);
  data["n_samples"].read(provenance.summary.n_samples);
  data["n_features"].read(provenance.summary.n_features);
  read_options(json["options_given"], provenance.summary.given);
  read_options(json["options_used"], provenance.summary.used);
  read_outcome(json["outcome"], provenance.summary);
  read_encoding(json["encoding"], provenance.encoding);
  for (const Field& element : json["usage"].elements()) element.read(provenance.usage.emplace_back());
}

void read_dtype(const Field& json, DType& dtype) {
  std::string text;
  json.read(text);
  if (text != "float32" && text != "float64") json.fail("must be float32 or float64");
  dtype = text == "float32" ? DType::kFloat32 : DType::kFloat64;
}

}  // namespace

Description parse_description(const std::string& text, const std::string& file) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kInput, file + ": description: is not JSON: " + error.what());
  }
  const Field json(document, file, "");
  std::size_t schema = 0;
  json["schema"].read(schema);
  if (schema != kModelSchema) json["schema"].fail("must be " + std::to_string(kModelSchema) + ", as in the file");
  Description description;
  ModelParts& parts = description.parts;
  const Field shape = json["shape"];
  shape["n_atoms"].read(description.n_atoms);
  shape["n_features"].read(description.n_features);
  shape["sample_height"].read(parts.shape.height);
  shape["sample_width"].read(parts.shape.width);
  read_dtype(json["dtype"], parts.dtype);
  json["tau"].read(parts.tau);
  json["eta"].read(parts.eta);
  json["mu"].read(parts.mu);
  json["positive_codes"].read(parts.positive_codes);
  json["mean_norm"].read(parts.mean_norm);
  const Field transform = json["transform"];
  transform["scale"].read(description.preprocess.scale);
  transform["center_features"].read(description.preprocess.center_features);
  transform["center_samples"].read(description.preprocess.center_samples);
  transform["unit_norm"].read(description.preprocess.unit_norm);
  read_provenance(json, parts.provenance);
  return description;
}

}  // namespace dualdict
