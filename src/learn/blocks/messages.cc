// SPDX-License-Identifier: BSD-3-Clause
#include "learn/blocks/messages.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dualdict/blocks.h"
#include "dualdict/error.h"
#include "io/bytes/input_error.h"
#include "learn/saved/checkpoint_header.h"

namespace dualdict {
namespace {

constexpr const char* kRequestFormat = "dualdict-block-request";
constexpr const char* kRequestName = "a request to blocks";
constexpr const char* kSumsFormat = "dualdict-block-statistics";
constexpr const char* kSumsName = "statistics of blocks";

void put(TensorFile& file, const char* name, const Matrix<double>& matrix, DType dtype = DType::kFloat64) {
  if (!matrix.empty()) file.tensors.push_back(make_tensor(name, matrix.view(), dtype));
}
void put(TensorFile& file, const char* name, const std::vector<double>& values) {
  if (!values.empty()) file.tensors.push_back(make_tensor(name, values, DType::kFloat64));
}
Matrix<double> get_matrix(const TensorFile& file, const char* name) {
  const Tensor* tensor = file.find(name);
  return tensor == nullptr ? Matrix<double>() : to_matrix(*tensor);
}
std::vector<double> get_numbers(const TensorFile& file, const char* name) {
  const Tensor* tensor = file.find(name);
  return tensor == nullptr ? std::vector<double>() : to_vector(*tensor);
}
std::vector<double> get_numbers(const TensorFile& file, const char* name, std::size_t count, const char* what) {
  std::vector<double> numbers = get_numbers(file, name);
  if (numbers.size() != count) fail_input(what, std::string("tensor ") + in_quotes(name) + " is missing or too short");
  return numbers;
}

// The rows of both, one after the other.
Matrix<double> stack(const Matrix<double>& a, const Matrix<double>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Matrix<double> both(a.rows() + b.rows(), a.cols());
  std::copy_n(a.data(), a.size(), both.data());
  std::copy_n(b.data(), b.size(), both.data() + a.size());
  return both;
}

Matrix<double> rows_at(const Matrix<double>& from, const std::vector<std::size_t>& order) {
  Matrix<double> rows(order.size(), from.cols());
  for (std::size_t i = 0; i < order.size(); ++i) std::copy_n(from.row(order[i]), from.cols(), rows.row(i));
  return rows;
}

}  // namespace

std::string to_bytes(const BlockRequest& request) {
  TensorFile file;
  RunOptions run = request.run;
  run.options.initial_dictionary = run.options.initial_dual = Matrix<double>();
  add_run(file, run);
  put(file, "numbers",
      {static_cast<double>(request.ask), static_cast<double>(request.plan.visit), request.plan.accurate ? 1.0 : 0.0,
       static_cast<double>(request.n_worst), request.tau});
  put(file, "blocks", std::vector<double>(request.blocks.begin(), request.blocks.end()));
  put(file, "feature_means", request.feature_means);
  put(file, "dictionary", request.dictionary, run.options.dtype);
  put(file, "dual", request.dual, run.options.dtype);
  return to_bytes(std::move(file), kRequestFormat);
}

BlockRequest read_request(std::string_view bytes) {
  const TensorFile file = from_bytes(bytes, kRequestName, kRequestFormat);
  const std::vector<double> numbers = get_numbers(file, "numbers", 5, kRequestName);
  BlockRequest request;
  request.run = read_run(file, kRequestName);
  request.mark = metadata_of(file, kRequestName, "checksum");
  request.ask = static_cast<Ask>(numbers[0]);
  request.plan.visit = static_cast<Visit>(numbers[1]);
  request.plan.accurate = numbers[2] != 0;
  request.n_worst = static_cast<std::size_t>(numbers[3]);
  request.tau = numbers[4];
  for (const double block : get_numbers(file, "blocks")) request.blocks.push_back(static_cast<std::size_t>(block));
  request.feature_means = get_numbers(file, "feature_means");
  request.dictionary = get_matrix(file, "dictionary");
  request.dual = get_matrix(file, "dual");
  const LearnOptions& options = request.run.options;
  if (request.ask == Ask::kCodes &&
      (request.dictionary.rows() != options.n_atoms || request.dual.rows() != options.n_atoms ||
       request.dual.cols() != request.dictionary.cols()))
    fail_input(kRequestName, "dictionary and dual must be of the same shape, with the atoms of the options");
  return request;
}

std::string to_bytes(const Statistics& sums) {
  TensorFile file;
  file.metadata["request"] = sums.mark;
  put(file, "numbers",
      {static_cast<double>(sums.chosen.limit), static_cast<double>(sums.n_features),
       sums.dtype == DType::kFloat32 ? 4.0 : 8.0});
  put(file, "sums", sums.sums);
  put(file, "blocks", sums.blocks);
  put(file, "chosen.rows", sums.chosen.rows, sums.dtype);
  put(file, "chosen.places", sums.chosen.places);
  return to_bytes(std::move(file), kSumsFormat);
}

Statistics read_sums(std::string_view bytes) {
  const TensorFile file = from_bytes(bytes, kSumsName, kSumsFormat);
  Statistics sums;
  sums.mark = metadata_of(file, kSumsName, "request");
  const std::vector<double> numbers = get_numbers(file, "numbers", 3, kSumsName);
  sums.chosen.limit = static_cast<std::size_t>(numbers[0]);
  sums.n_features = static_cast<std::size_t>(numbers[1]);
  sums.dtype = numbers[2] == 4 ? DType::kFloat32 : DType::kFloat64;
  sums.sums = get_numbers(file, "sums");
  sums.blocks = get_matrix(file, "blocks");
  sums.chosen.rows = get_matrix(file, "chosen.rows");
  sums.chosen.places = get_matrix(file, "chosen.places");
  if (sums.blocks.cols() != 2 || sums.chosen.places.rows() != sums.chosen.rows.rows())
    fail_input(kSumsName, "tensors 'blocks' and 'chosen.places' have other shapes than such statistics");
  return sums;
}

void keep_smallest(ChosenRows& chosen) {
  const Matrix<double>& places = chosen.places;
  const auto less = [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(places.row(a), places.row(a) + 3, places.row(b), places.row(b) + 3);
  };
  std::vector<std::size_t> order(places.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), less);
  order.resize(std::min(order.size(), chosen.limit));
  chosen.rows = rows_at(chosen.rows, order);
  chosen.places = rows_at(chosen.places, order);
}

Statistics add(const Statistics& a, const Statistics& b) {
  if (a.mark != b.mark || a.sums.size() != b.sums.size() || a.n_features != b.n_features)
    fail_input(kSumsName, "cannot be added: they answer different requests; add those of one request only");
  Statistics both = a;
  for (std::size_t i = 0; i < both.sums.size(); ++i) both.sums[i] += b.sums[i];
  both.blocks = stack(a.blocks, b.blocks);
  std::vector<double> seen;
  for (std::size_t i = 0; i < both.blocks.rows(); ++i) seen.push_back(both.blocks(i, 0));
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end())
    fail_input(kSumsName, "cannot be added: block " + std::to_string(static_cast<std::size_t>(*twice)) +
                              " is in both; add each block once");
  both.chosen.rows = stack(a.chosen.rows, b.chosen.rows);
  both.chosen.places = stack(a.chosen.places, b.chosen.places);
  if (!both.chosen.places.empty()) keep_smallest(both.chosen);
  return both;
}

std::string add_statistics(std::string_view a, std::string_view b) {
  return to_bytes(add(read_sums(a), read_sums(b)));
}

}  // namespace dualdict
