// SPDX-License-Identifier: BSD-3-Clause
#include "learn/state_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "io/bytes/input_error.h"
#include "learn/code_tensors.h"

namespace dualdict {
namespace {

constexpr double kLargestCount = 9007199254740992.0;  // 2^53: every whole number up to it is a double

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
  template <class T>
  void codes(const CodeStore<T>& codes) {
    add_codes(file_, codes);
  }

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
  template <class T>
  void codes(CodeStore<T>& codes) {
    read_codes(file_, path_, codes);
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

// One row of `iterations`. Both directions walk this list: its order is the file's.
template <class Record, class Visit>
void for_each_number(Record& record, const Visit& visit) {
  visit(record.iteration);
  visit(record.seconds);
  visit(record.energy.reconstruction);
  visit(record.energy.coding);
  visit(record.energy.l1);
  visit(record.energy.l2);
  visit(record.extrapolated);
  visit(record.energy_before_codes);
  visit(record.energy_after_codes);
  visit(record.energy_after_dictionary);
  visit(record.tau);
  visit(record.relative_change);
  visit(record.nonzeros_per_code);
  visit(record.dead_atoms);
  visit(record.replaced_atoms);
  visit(record.duality_gap);
  visit(record.dictionary_change);
  visit(record.dual_change);
  visit(record.accurate);
}
constexpr std::size_t kRecordNumbers = 19;

Matrix<double> to_rows(const std::vector<IterationRecord>& records) {
  Matrix<double> rows(records.size(), kRecordNumbers);
  for (std::size_t i = 0; i < records.size(); ++i) {
    double* to = rows.row(i);
    for_each_number(records[i], [&](auto value) { *to++ = static_cast<double>(value); });
  }
  return rows;
}

std::vector<IterationRecord> to_records(const Matrix<double>& rows, const StateReader& reader) {
  std::vector<IterationRecord> records(rows.rows());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const double* from = rows.row(i);
    for_each_number(records[i], [&]<class Value>(Value& value) {
      const double number = *from++;
      if (!std::is_same_v<Value, double> && !(number >= 0 && number <= kLargestCount))
        reader.fail("iterations", "holds a count or flag out of range");
      value = static_cast<Value>(number);
    });
    if (records[i].iteration != i + 1) reader.fail("iterations", "must be numbered 1, 2, 3, ...");
  }
  return records;
}

// What is the same in both directions: names, order, shapes.
template <class Archive, class T>
void walk(Archive& archive, LearnState<T>& state, bool with_codes) {
  const std::size_t k = state.codes.cols();
  const std::size_t d = state.moments.ux.cols();
  archive.matrix("dictionary", state.dictionary, k, d);
  archive.matrix("dual", state.dual, k, d);
  if (with_codes) archive.codes(state.codes);
  archive.matrix("moments.uu", state.moments.uu, k, k);
  archive.matrix("moments.ux", state.moments.ux, k, d);
  archive.number("moments.sum_abs_codes", state.moments.sum_abs_codes);
  archive.counts("usage", state.usage);
  archive.number("tau", state.tau);
  archive.number("energy", state.energy);
  archive.flag("warmed_up", state.warmed_up);
  archive.flag("accurate", state.accurate);
  archive.count("warm_up.step", state.warm_up.step);
  archive.count("warm_up.n_seen", state.warm_up.n_seen);
  archive.number("warm_up.weight", state.warm_up.weight);
  archive.number("warm_up.round_energy", state.warm_up.round_energy);
  archive.number("warm_up.round_nonzeros", state.warm_up.round_nonzeros);
  archive.count("warm_up.round_step", state.warm_up.round_step);
  archive.count("warm_up.round", state.warm_up.round);
  archive.number("warm_up.last_energy", state.warm_up.last_energy);
  archive.flag("warm_up.finished", state.warm_up.finished);
  archive.flag("extrapolation.has_direction", state.extrapolation.has_direction);
  archive.number("extrapolation.weight", state.extrapolation.weight);
  if (state.extrapolation.has_direction) {
    archive.matrix("extrapolation.dictionary", state.extrapolation.dictionary, k, d);
    archive.matrix("extrapolation.dual", state.extrapolation.dual, k, d);
  }
  archive.counts("replaced", state.replaced);
  archive.number("tau_max", state.summary.tau_max);
  archive.count("replaced_atoms", state.summary.replaced_atoms);
  archive.number("seconds", state.seconds);
  bool searching = state.tau_search.has_value();
  archive.flag("tau_search.active", searching);
  if (!searching) state.tau_search.reset();
  if (state.tau_search) {
    TauSearch::State& search = state.tau_search->state();
    archive.count("tau_search.moves", search.moves);
    archive.number("tau_search.last_log_tau", search.last_log_tau);
    archive.number("tau_search.last_log_nonzeros", search.last_log_nonzeros);
  }
}

}  // namespace

template <class T>
void add_state(TensorFile& file, const LearnState<T>& state, bool with_codes) {
  StateWriter writer(file);
  LearnState<T> copy = state;
  walk(writer, copy, with_codes);
  writer.numbers("history", {state.rule.energies().begin(), state.rule.energies().end()});
  writer.matrix("iterations", to_rows(state.summary.iterations), 0, 0);
}

template <class T>
void read_state(const TensorFile& file, const std::string& path, LearnState<T>& state, bool with_codes) {
  StateReader reader(file, path);
  walk(reader, state, with_codes);
  std::vector<double> energies;
  reader.numbers("history", energies);
  if (energies.empty() || energies.size() > std::max<std::size_t>(1, state.rule.history()))
    reader.fail("history", "must hold between 1 and --history energies");
  state.rule.energies().assign(energies.begin(), energies.end());
  Matrix<double> rows;
  reader.matrix("iterations", rows, StateReader::kAny, kRecordNumbers);
  state.summary.iterations = to_records(rows, reader);
}

template void add_state<float>(TensorFile&, const LearnState<float>&, bool);
template void add_state<double>(TensorFile&, const LearnState<double>&, bool);
template void read_state<float>(const TensorFile&, const std::string&, LearnState<float>&, bool);
template void read_state<double>(const TensorFile&, const std::string&, LearnState<double>&, bool);

}  // namespace dualdict
