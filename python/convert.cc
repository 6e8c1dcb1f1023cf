// SPDX-License-Identifier: BSD-3-Clause
#include "convert.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>

namespace dualdict::python {
namespace {

template <class T>
nb::object owned_array(const double* values, std::size_t n, std::initializer_list<std::size_t> shape) {
  T* copy = new T[n];
  const nb::capsule owner(copy, [](void* data) noexcept { delete[] static_cast<T*>(data); });
  std::transform(values, values + n, copy, [](double value) { return static_cast<T>(value); });
  return nb::cast(nb::ndarray<nb::numpy, T>(copy, shape, owner), nb::rv_policy::reference);
}

nb::object owned_array(const double* values, std::size_t n, std::initializer_list<std::size_t> shape, DType dtype) {
  return dtype == DType::kFloat32 ? owned_array<float>(values, n, shape) : owned_array<double>(values, n, shape);
}

const OptionInfo& row_of(const std::string& python_name) {
  for (const OptionInfo& row : learn_option_table())
    if (row.python_name == python_name) return row;
  throw Error(ErrorKind::kUsage, python_name + ": is no option of learning");
}

PyObject* type_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kWrite:
      return PyExc_OSError;
    case ErrorKind::kMemory:
      return PyExc_MemoryError;
    case ErrorKind::kNumerical:
      return PyExc_FloatingPointError;
    case ErrorKind::kRank:
      return PyExc_ConnectionError;
    case ErrorKind::kUsage:
    case ErrorKind::kInput:
      break;
  }
  return PyExc_ValueError;
}

}  // namespace

nb::object to_numpy(const Matrix<double>& matrix, DType dtype) {
  return owned_array(matrix.data(), matrix.size(), {matrix.rows(), matrix.cols()}, dtype);
}
nb::object to_numpy(const std::vector<double>& values, DType dtype) {
  return owned_array(values.data(), values.size(), {values.size()}, dtype);
}

PreprocessOptions preprocess_of(const nb::dict& entries) {
  PreprocessOptions options;
  options.scale = nb::cast<double>(entries["scale"]);
  options.unit_norm = nb::cast<bool>(entries["unit_norm"]);
  options.center_samples = nb::cast<bool>(entries["center_samples"]);
  options.center_features = nb::cast<bool>(entries["center_features"]);
  return options;
}

Matrix<double> to_matrix(const nb::object& array) {
  if (array.is_none()) return {};
  const auto rows = nb::cast<InArray<double>>(array);
  return convert<double>(view_of(rows));
}

nb::list option_list() {
  const LearnOptions defaults;
  nb::list rows;
  for (const OptionInfo& option : learn_option_table()) {
    nb::dict row;
    row["name"] = option.name;
    row["python_name"] = option.python_name;
    row["symbol"] = option.symbol;
    row["help"] = in_python_words(std::string(option.help));
    row["group"] = option.group;
    row["rule"] = option_rule(option);
    row["required"] = option.required;
    row["default"] = std::visit(
        [&]<class Value>(Value LearnOptions::*field) -> nb::object {
          if constexpr (std::is_enum_v<Value>)
            return nb::cast(option_text(defaults, option));
          else if constexpr (std::is_same_v<Value, std::optional<double>>)
            return nb::none();
          else
            return nb::cast(defaults.*field);
        },
        option.field);
    rows.append(row);
  }
  return rows;
}

LearnOptions to_options(const std::map<std::string, std::string>& texts) {
  LearnOptions options;
  for (const auto& [name, text] : texts) set_option(options, row_of(name), text);
  return options;
}

std::string in_python_words(const std::string& message) {
  std::string result;
  std::size_t at = 0;
  while (at < message.size()) {
    if (message.compare(at, 2, "--") != 0) {
      result += message[at++];
      continue;
    }
    std::size_t end = at + 2;
    while (end < message.size() && ((message[end] >= 'a' && message[end] <= 'z') || message[end] == '-')) ++end;
    const std::string name = message.substr(at + 2, end - at - 2);
    const OptionInfo* option = find_learn_option(name);
    result += option != nullptr ? std::string(option->python_name) : (name == "init" ? "dict_init" : "--" + name);
    at = end;
  }
  return result;
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      PyErr_SetString(type_of(error.kind()), in_python_words(error.what()).c_str());
    }
  });
}

}  // namespace dualdict::python
