// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/config.h"

#include <algorithm>
#include <memory>

#include "io/bytes/file_reader.h"
#include "io/bytes/input_error.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr std::uint64_t kMaxConfig = std::uint64_t{1} << 20;
constexpr int kMaxDepth = 16;

nlohmann::json parse_config(const std::string& path) {
  const std::shared_ptr<const ByteSource> bytes = open_bytes(path);
  if (bytes->size() > kMaxConfig)
    fail_input(path, "is " + std::to_string(bytes->size()) + " bytes long; a configuration may have " +
                         std::to_string(kMaxConfig));
  std::string text(static_cast<std::size_t>(bytes->size()), '\0');
  bytes->read(0, std::as_writable_bytes(std::span<char>(text)));
  const auto check_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kMaxDepth) fail_input(path, "is nested too deeply");
    return true;
  };
  try {
    nlohmann::json json = nlohmann::json::parse(text, check_depth);
    if (!json.is_object()) fail_input(path, "is no JSON object");
    return json;
  } catch (const nlohmann::json::exception&) {
    fail_input(path, "is not JSON");
  }
}

}  // namespace

Config::Config(const std::string& path) : path_(path), json_(parse_config(path)) {}

void Config::fail(const std::string& what) const {
  fail_input(path_, what);
}

bool Config::has(const char* key) const {
  const auto found = json_.find(key);
  return found != json_.end() && !found->is_null();
}

std::string Config::text(const char* key, const std::string& otherwise) const {
  if (!has(key)) return otherwise;
  const nlohmann::json& value = json_.at(key);
  if (!value.is_string()) fail(in_quotes(key) + " is no string");
  return value.get<std::string>();
}

bool Config::flag(const char* key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const nlohmann::json& value = json_.at(key);
  if (!value.is_boolean()) fail(in_quotes(key) + " is neither true nor false");
  return value.get<bool>();
}

std::size_t Config::as_count(const nlohmann::json& value, const std::string& key) const {
  if (!value.is_number_unsigned()) fail(in_quotes(key) + " is no whole number >= 0");
  return value.get<std::size_t>();
}

std::size_t Config::count(const char* key) const {
  if (!has(key)) fail(in_quotes(key) + " is missing");
  return as_count(json_.at(key), key);
}

std::size_t Config::largest_count(std::size_t n_atoms, const char* older_object) const {
  std::size_t k = 0;
  if (older_object == nullptr || has("k"))
    k = count("k");
  else if (has(older_object) && json_.at(older_object).is_object() && json_.at(older_object).contains("k"))
    k = as_count(json_.at(older_object)["k"], "k");
  if (k == 0 || k > n_atoms)
    fail("'k' is " + std::to_string(k) + "; it must be from 1 to the " + std::to_string(n_atoms) + " atoms");
  return k;
}

void Config::require(const char* key, const std::string& otherwise, std::initializer_list<std::string_view> known,
                     const std::string& cost) const {
  const std::string value = text(key, otherwise);
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  std::string names;
  for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
  fail(in_quotes(key) + " is " + in_quotes(value) + "; what is read: " + names + ". " + cost);
}

void Config::refuse(const char* key, const std::string& cost) const {
  if (flag(key, false)) fail(in_quotes(key) + " is true, which no mode computes: " + cost);
}

Weights::Weights(const std::string& path) : path_(path), file_(read_safetensors(path)) {}

const Tensor& Weights::get(const std::string& name, std::size_t n_dimensions) const {
  const Tensor* tensor = file_.find(name);
  if (tensor == nullptr) fail_input(path_, "tensor " + in_quotes(name) + " is missing");
  if (tensor->shape.size() != n_dimensions) {
    const std::vector<std::uint64_t> shape(tensor->shape.begin(), tensor->shape.end());
    fail_input(path_, "tensor " + in_quotes(name) + " has shape " + shape_text(shape) + "; it must have " +
                          std::to_string(n_dimensions) + (n_dimensions == 1 ? " dimension" : " dimensions"));
  }
  return *tensor;
}

DType Weights::dtype(const std::string& name) const {
  return get(name, 2).dtype;
}

Matrix<double> Weights::matrix(const std::string& name, bool as_columns) const {
  Matrix<double> matrix = to_matrix(get(name, 2));
  return as_columns ? transpose<double>(matrix.view()) : matrix;
}

std::vector<double> Weights::vector(const std::string& name) const {
  return to_vector(get(name, 1));
}

void Weights::require_only(std::initializer_list<std::string_view> names) const {
  for (const Tensor& tensor : file_.tensors)
    if (std::find(names.begin(), names.end(), tensor.name) == names.end())
      fail_input(path_, "tensor " + in_quotes(tensor.name) +
                            " is not known: its part in the codes or in decoding would be lost without a word");
}

}  // namespace dualdict
