// SPDX-License-Identifier: BSD-3-Clause
// Writing and reading the values of a state by their names: both walk one list of them (fit_file.cc).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dualdict/error.h"
#include "dualdict/matrix.h"
#include "io/bytes/input_error.h"
#include "io/tensors/safetensors.h"

namespace dualdict {

inline constexpr double kLargestCount = 9007199254740992.0;  // 2^53: every whole number up to it is a double

class StateWriter {
 public:
  explicit StateWriter(TensorFile& file) : file_(file) {}

  void number(const std::string& name, double value) { numbers(name, {value}); }
  void count(const std::string& name, std::size_t value) { number(name, static_cast<double>(value)); }
  void flag(const std::string& name, bool value) { number(name, value ? 1 : 0); }
  void numbers(const std::string& name, const std::vector<double>& values) {
    file_.tensors.push_back(make_tensor(name, values, DType::kFloat64));
  }
  void counts(const std::string& name, const std::vector<std::size_t>& values) {
    numbers(name, std::vector<double>(values.begin(), values.end()));
  }
  void matrix(const std::string& name, const Matrix<double>& values, std::size_t, std::size_t) {
    file_.tensors.push_back(make_tensor(name, values.view(), DType::kFloat64));
  }
  void matrix(const std::string& name, const Matrix<float>& values, std::size_t rows, std::size_t cols) {
    matrix(name, convert<double>(values), rows, cols);
  }
  // 64 bits that are no number.
  void bits(const std::string& name, std::uint64_t value) {
    numbers(name, {static_cast<double>(value >> 32U), static_cast<double>(value & 0xffffffffU)});
  }
  [[noreturn]] void fail(const std::string& name, const std::string& rule) const {
    throw Error(ErrorKind::kNumerical, "the state of learning cannot be written: " + name + " " + rule);
  }

  static constexpr std::size_t kAny = static_cast<std::size_t>(-1);

 private:
  TensorFile& file_;
};

class StateReader {
 public:
  StateReader(const TensorFile& file, const std::string& path) : file_(file), path_(path) {}

  void number(const std::string& name, double& value) {
    const std::vector<double> values = read(name, 1);
    value = values[0];
  }
  void count(const std::string& name, std::size_t& value) {
    double number_value = 0;
    number(name, number_value);
    value = to_count(name, number_value);
  }
  void flag(const std::string& name, bool& value) {
    std::size_t read_value = 0;
    count(name, read_value);
    if (read_value > 1) fail(name, "must be 0 or 1");
    value = read_value == 1;
  }
  void numbers(const std::string& name, std::vector<double>& values) { values = read(name, kAny); }
  void counts(const std::string& name, std::vector<std::size_t>& values) {
    const std::vector<double> numbers = read(name, values.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) values[i] = to_count(name, numbers[i]);
  }
  void matrix(const std::string& name, Matrix<double>& values, std::size_t rows, std::size_t cols) {
    const Tensor& tensor = get(name);
    const bool fits = tensor.shape.size() == 2 && (rows == kAny || tensor.shape[0] == rows) && tensor.shape[1] == cols;
    if (!fits) fail(name, "has another shape than this run needs");
    values = to_matrix(tensor);
    for (std::size_t i = 0; i < values.size(); ++i) require_finite(name, values.data()[i]);
  }
  // Written from float32, which a double holds without loss.
  void matrix(const std::string& name, Matrix<float>& values, std::size_t rows, std::size_t cols) {
    Matrix<double> wide;
    matrix(name, wide, rows, cols);
    values = convert<float>(wide);
  }
  void bits(const std::string& name, std::uint64_t& value) {
    std::vector<std::size_t> halves(2);
    counts(name, halves);
    value = (static_cast<std::uint64_t>(halves[0]) << 32U) | (halves[1] & 0xffffffffU);
  }
  [[noreturn]] void fail(const std::string& name, const std::string& rule) const {
    fail_input(path_, "tensor " + in_quotes(name) + " " + rule);
  }

  static constexpr std::size_t kAny = static_cast<std::size_t>(-1);

 private:
  const Tensor& get(const std::string& name) const {
    const Tensor* tensor = file_.find(name);
    if (tensor == nullptr) fail(name, "is missing");
    if (tensor->dtype != DType::kFloat64) fail(name, "must be float64");
    return *tensor;
  }
  void require_finite(const std::string& name, double value) const {
    if (!std::isfinite(value)) fail(name, "holds NaN or an infinite number");
  }
  std::vector<double> read(const std::string& name, std::size_t size) const {
    const Tensor& tensor = get(name);
    if (tensor.shape.size() != 1 || (size != kAny && tensor.shape[0] != size))
      fail(name, "has another shape than this run needs");
    std::vector<double> values = to_vector(tensor);
    for (const double value : values) require_finite(name, value);
    return values;
  }
  std::size_t to_count(const std::string& name, double value) const {
    if (!(value >= 0 && value <= kLargestCount && std::floor(value) == value)) fail(name, "must hold whole numbers");
    return static_cast<std::size_t>(value);
  }

  const TensorFile& file_;
  const std::string& path_;
};

}  // namespace dualdict
