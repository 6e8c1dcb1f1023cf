// SPDX-License-Identifier: BSD-3-Clause
#include "learn/online_file.h"

#include <array>
#include <charconv>
#include <cmath>

#include "dualdict/error.h"
#include "io/tensors/safetensors.h"

namespace dualdict {
namespace {

constexpr const char* kOnlineFormat = "dualdict-online-1";
constexpr const char* kName = "the state of an online learner";

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorKind::kInput, std::string(kName) + ": " + what);
}

// Visits every matrix with its name, in the state or in what becomes one.
template <class State, class Visit>
void for_each_matrix(State& state, const Visit& visit) {
  visit("dictionary", state.dictionary);
  visit("dual", state.dual);
  visit("uu", state.moments.uu);
  visit("ux", state.moments.ux);
  visit("xx", state.moments.xx);
  visit("kept", state.kept);
  visit("initial_dictionary", state.options.initial_dictionary);
  visit("initial_dual", state.options.initial_dual);
}

// The numbers that are no option, in a fixed order.
std::vector<double> numbers_of(const OnlineState& state) {
  return {state.objective.tau,
          state.moments.squared_samples,
          state.moments.sum_abs_codes,
          static_cast<double>(state.n_samples),
          static_cast<double>(state.n_updates),
          state.sum_norms,
          static_cast<double>(state.replaced_atoms),
          state.preprocess.scale,
          state.preprocess.center_samples ? 1.0 : 0.0,
          state.preprocess.unit_norm ? 1.0 : 0.0};
}

void set_numbers(const std::vector<double>& numbers, OnlineState& state) {
  if (numbers.size() != numbers_of(state).size()) damaged("has another number of numbers");
  const auto count = [&](std::size_t i) {
    if (!(numbers[i] >= 0 && numbers[i] < 9e15)) damaged("has a count out of range");
    return static_cast<std::size_t>(numbers[i]);
  };
  state.objective.tau = numbers[0];
  state.moments.squared_samples = numbers[1];
  state.moments.sum_abs_codes = numbers[2];
  state.n_samples = count(3);
  state.n_updates = count(4);
  state.sum_norms = numbers[5];
  state.replaced_atoms = count(6);
  state.preprocess.scale = numbers[7];
  state.preprocess.center_samples = numbers[8] != 0;
  state.preprocess.unit_norm = numbers[9] != 0;
}

void check_shapes(const OnlineState& state) {
  if (state.dictionary.empty()) return;
  const std::size_t k = state.options.n_atoms;
  const std::size_t d = state.dictionary.cols();
  const auto is = [](const Matrix<double>& m, std::size_t rows, std::size_t cols) {
    return m.rows() == rows && m.cols() == cols;
  };
  if (!is(state.dictionary, k, d) || !is(state.dual, k, d) || !is(state.moments.uu, k, k) ||
      !is(state.moments.ux, k, d) || !is(state.moments.xx, d, d) || state.kept.cols() != d || state.usage.size() != k)
    damaged("has matrices that do not fit together");
}

}  // namespace

std::string online_bytes(const OnlineState& state) {
  TensorFile file;
  file.metadata["format"] = kOnlineFormat;
  for (const OptionInfo& option : learn_option_table())
    file.metadata[std::string(option.name)] = option_text(state.options, option);
  for_each_matrix(state, [&](const char* name, const Matrix<double>& matrix) {
    if (!matrix.empty()) file.tensors.push_back(make_tensor(name, matrix.view(), DType::kFloat64));
  });
  file.tensors.push_back(make_tensor("numbers", numbers_of(state), DType::kFloat64));
  if (!state.usage.empty()) file.tensors.push_back(make_tensor("usage", state.usage, DType::kFloat64));
  StringSink sink;
  write_safetensors(sink, file);
  return std::move(sink.text);
}

OnlineState online_from_bytes(std::string_view bytes) {
  const MemoryBytes source(kName, nullptr, std::as_bytes(std::span(bytes)));
  const TensorFile file = read_safetensors(source);
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kOnlineFormat) damaged("is of another format");
  OnlineState state;
  for (const OptionInfo& option : learn_option_table()) {
    const auto text = file.metadata.find(std::string(option.name));
    if (text != file.metadata.end()) set_option(state.options, option, text->second);
  }
  for_each_matrix(state, [&](const char* name, Matrix<double>& matrix) {
    if (const Tensor* tensor = file.find(name)) matrix = to_matrix(*tensor);
  });
  const Tensor* numbers = file.find("numbers");
  if (numbers == nullptr) damaged("has no numbers");
  set_numbers(to_vector(*numbers), state);
  if (const Tensor* usage = file.find("usage")) state.usage = to_vector(*usage);
  state.objective.n_features = state.dictionary.cols();
  state.objective.n_atoms = state.options.n_atoms;
  state.objective.eta = resolve_eta(state.options, state.dictionary.cols());
  state.objective.mu = state.options.mu;
  state.objective.positive_codes = state.options.positive_codes;
  state.objective.positive_dictionary = state.options.positive_dictionary;
  check_shapes(state);
  return state;
}

}  // namespace dualdict
