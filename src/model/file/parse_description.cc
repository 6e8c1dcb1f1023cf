// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "dualdict/error.h"
#include "dualdict/fields.h"
#include "model/file/description.h"

namespace dualdict {
namespace {

using UnorderedJson = nlohmann::json;  // finds a key among many at once

// A value of the document and the way to it, for messages.
class Field {
 public:
  Field(const UnorderedJson& value, const std::string& file, std::string path)
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
  template <class Visit>
  void for_each_element(const Visit& visit) const {
    if (!value_.is_array()) fail("must be a list");
    for (std::size_t i = 0; i < value_.size(); ++i)
      visit(Field(value_[i], file_, path_ + "[" + std::to_string(i) + "]"));
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
  template <class Number>
  void read(std::optional<Number>& to) const {
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
  const UnorderedJson& value_;
  const std::string& file_;
  std::string path_;
};

// An option that the model's version did not have keeps its default, but for the penalty: that was l1.
void read_options(const Field& json, LearnOptions& options) {
  options.penalty = Penalty::kL1;
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

// Numbers are measurements unless they are settings.
enum class Numbers { kMeasured, kSettings };

// The fields of a record; `key_of` gives the key of each, "" for one that is not in the document.
template <Numbers kNumbers, class KeyOf, Record Type>
void read_record(const Field& json, const KeyOf& key_of, Type& record) {
  Type::for_each_field(record, [&]<class Value>(const char* name, Value& value) {
    const std::string key(key_of(name));
    if (key.empty()) return;
    // A measurement that is absent by default is one that earlier versions did not make.
    if constexpr (std::is_same_v<Value, double>)
      if (std::isnan(value) && !json.has(key)) return;
    const bool is_young = key == "advice" || key == "input_error" || key == "l0";  // not in models of earlier versions
    if (is_young && !json.has(key)) return;
    if constexpr (Record<Value>)
      read_record<kNumbers>(json[key], std::identity{}, value);
    else if constexpr (kNumbers == Numbers::kMeasured && std::is_same_v<Value, double>)
      json[key].read_measured(value);
    else
      json[key].read(value);
  });
}

void read_encoding(const Field& json, EncodingTable& table) {
  read_record<Numbers::kSettings>(json, std::identity{}, table);
  json["rows"].for_each_element([&](const Field& element) {
    read_record<Numbers::kMeasured>(element, std::identity{}, table.rows.emplace_back());
  });
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
  read_record<Numbers::kMeasured>(json["outcome"], outcome_key, provenance.summary);
  read_encoding(json["encoding"], provenance.encoding);
  json["usage"].for_each_element([&](const Field& element) { element.read(provenance.usage.emplace_back()); });
}

void read_dtype(const Field& json, DType& dtype) {
  std::string text;
  json.read(text);
  if (text != "float32" && text != "float64") json.fail("must be float32 or float64");
  dtype = text == "float32" ? DType::kFloat32 : DType::kFloat64;
}

void read_penalty(const Field& json, Penalty& penalty) {
  std::string text;
  json.read(text);
  if (text != "l1" && text != "l0") json.fail("must be l1 or l0");
  penalty = text == "l0" ? Penalty::kL0 : Penalty::kL1;
}

}  // namespace

Description parse_description(const std::string& text, const std::string& file) {
  constexpr int kMaxDepth = 16;
  const auto check_depth = [&](int depth, UnorderedJson::parse_event_t, UnorderedJson&) {
    if (depth > kMaxDepth) throw Error(ErrorKind::kInput, file + ": description: is nested too deeply");
    return true;
  };
  UnorderedJson document;
  try {
    document = UnorderedJson::parse(text, check_depth);
  } catch (const UnorderedJson::exception& error) {
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
  if (shape.has("sample_channels")) shape["sample_channels"].read(parts.shape.channels);
  read_dtype(json["dtype"], parts.dtype);
  if (json.has("penalty")) read_penalty(json["penalty"], parts.penalty);
  json["tau"].read(parts.tau);
  json["eta"].read(parts.eta);
  json["mu"].read(parts.mu);
  if (json.has("learning_tau")) json["learning_tau"].read(parts.learning_tau);
  if (json.has("learning_eta")) json["learning_eta"].read(parts.learning_eta);
  json["positive_codes"].read(parts.positive_codes);
  if (json.has("own_mode")) json["own_mode"].read(parts.own_mode);
  json["mean_norm"].read(parts.mean_norm);
  read_record<Numbers::kSettings>(json["transform"], std::identity{}, description.preprocess);
  read_provenance(json, parts.provenance);
  return description;
}

}  // namespace dualdict
