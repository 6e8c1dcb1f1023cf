// SPDX-License-Identifier: BSD-3-Clause
// The JSON file that stands beside the weights of others, and the tensors of those weights, read with suspicion.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/matrix.h"
#include "io/tensors/safetensors.h"

namespace dualdict {

// An object of at most 1 MiB and a depth of 16. Throws Error(kInput) naming the file, the key and the rule.
class Config {
 public:
  explicit Config(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const char* key) const;  // and is not null
  std::string text(const char* key, const std::string& otherwise) const;
  bool flag(const char* key, bool otherwise) const;
  std::size_t count(const char* key) const;
  // The k of the k largest: under the key, or under one of an object of the older files.
  std::size_t largest_count(std::size_t n_atoms, const char* older_object = nullptr) const;
  // Fails unless the text under the key, or `otherwise`, is one of these; `cost` says why it matters.
  void require(const char* key, const std::string& otherwise, std::initializer_list<std::string_view> known,
               const std::string& cost) const;
  // Fails when the flag is there and true.
  void refuse(const char* key, const std::string& cost) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::size_t as_count(const nlohmann::json& value, const std::string& key) const;
  std::string path_;
  nlohmann::json json_;
};

// The tensors of one file.
class Weights {
 public:
  explicit Weights(const std::string& path);

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  DType dtype(const std::string& name) const;
  // Of two dimensions; `as_columns`: its columns become rows.
  Matrix<double> matrix(const std::string& name, bool as_columns = false) const;
  std::vector<double> vector(const std::string& name) const;
  // Fails for a tensor of another name: it would be left out of what the model computes.
  void require_only(std::initializer_list<std::string_view> names) const;

 private:
  const Tensor& get(const std::string& name, std::size_t n_dimensions) const;
  std::string path_;
  TensorFile file_;
};

}  // namespace dualdict
