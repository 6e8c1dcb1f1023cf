// SPDX-License-Identifier: BSD-3-Clause
#include "report/report_data.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/fields.h"
#include "report/coded_sample.h"
#include "report/frame.h"

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little);

// A page above this is not opened with pleasure: the encoders that would pass it are left out, the best one first.
constexpr std::size_t kMostEncoderBytes = std::size_t{96} << 20U;

template <class T>
PageTensor tensor(std::string name, std::string type, const Matrix<T>& matrix) {
  PageTensor result{std::move(name), std::move(type), matrix.rows(), matrix.cols(), {}};
  result.bytes.resize(matrix.size() * sizeof(T));
  if (!matrix.empty()) std::memcpy(result.bytes.data(), matrix.data(), result.bytes.size());
  return result;
}
PageTensor tensor(std::string name, const Matrix<double>& matrix) {
  return tensor(std::move(name), "float32", convert<float>(matrix));
}

// The page shows four digits; six keep it short.
Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::round(value * 1e6) / 1e6);
  return list;
}

Json atoms_json(const AtomNumbers& numbers) {
  return {{"norm", rounded(numbers.norm)},
          {"dual_norm", rounded(numbers.dual_norm)},
          {"agreement", rounded(numbers.agreement)},
          {"coherence", rounded(numbers.coherence)},
          {"nearest", numbers.nearest}};
}

Json frame_json(const Model& model, const AtomNumbers& numbers) {
  double coherence = 0;
  for (const double value : numbers.coherence) coherence = std::max(coherence, value);
  Json json = {{"coherence", coherence},
               {"mean_coherence", numbers.mean_coherence},
               {"welch_bound", welch_bound(model.n_atoms(), model.n_features())},
               {"bounds", nullptr}};
  if (const auto bounds = frame_bounds(model.dictionary()))
    json["bounds"] = {
        {"rank", bounds->rank}, {"lower", bounds->lower}, {"upper", bounds->upper}, {"distance", bounds->distance}};
  return json;
}

// A column of numbers for each field, the terms of the energy among them.
void add_to_columns(const Json& record, Json& columns) {
  for (const auto& [name, value] : record.items())
    if (value.is_object())
      add_to_columns(value, columns);
    else
      columns[name].push_back(value);
}

Json trace_json(const std::vector<IterationRecord>& records) {
  if (records.empty()) return nullptr;
  Json columns = Json::object();
  for (const IterationRecord& record : records) add_to_columns(as_map(record, [] { return Json::object(); }), columns);
  return columns;
}

Json sparse_row(const float* values, std::size_t n) {
  Json atoms = Json::array();
  Json weights = Json::array();
  for (std::size_t j = 0; j < n; ++j)
    if (values[j] != 0) {
      atoms.push_back(j);
      weights.push_back(values[j]);
    }
  return {{"atoms", std::move(atoms)}, {"weights", std::move(weights)}};
}

class SampleNames {
 public:
  explicit SampleNames(const std::vector<std::string>& names) : names_(names) {}
  Json operator()(const std::vector<std::size_t>& rows) const {
    Json list = Json::array();
    for (const std::size_t row : rows) list.push_back(names_.empty() ? "sample " + std::to_string(row) : names_[row]);
    return list;
  }

 private:
  const std::vector<std::string>& names_;
};

// What uses each atom, weights to four digits.
Json uses_json(const std::vector<AtomUses>& uses) {
  Json list = Json::array();
  for (const AtomUses& of_atom : uses) {
    Json weights = Json::array();
    for (const double weight : of_atom.weights) {
      char text[32];
      std::snprintf(text, sizeof text, "%.4g", weight);
      weights.push_back(std::strtod(text, nullptr));
    }
    list.push_back({{"samples", of_atom.samples}, {"weights", std::move(weights)}});
  }
  return list;
}

Json labels_json(const std::vector<std::string>& labels, const std::vector<std::size_t>& rows) {
  Json list = Json::array();
  for (const std::size_t row : rows)
    if (!labels.empty()) list.push_back(labels[row]);
  return list;
}

Json data_json(const DataSource& data, const CodedSample& coded, const SampleNames& names,
               const std::vector<std::string>& labels) {
  Json codes = Json::array();
  for (std::size_t i = 0; i < coded.gallery_codes.rows(); ++i)
    codes.push_back(sparse_row(coded.gallery_codes.row(i), coded.gallery_codes.cols()));
  Json users = Json::array();
  for (const auto& of_atom : coded.users) {
    Json list = Json::array();
    for (const AtomUser& user : of_atom) list.push_back({user.picture, std::round(user.weight * 1e6) / 1e6});
    users.push_back(std::move(list));
  }
  return {
      {"name", data.name()},
      {"n_samples", data.n_samples()},
      {"n_coded", coded.n_coded},
      {"smallest", coded.smallest},
      {"largest", coded.largest},
      {"usage", coded.usage},
      {"exact_histogram", coded.exact_histogram},
      {"sparse_histogram", coded.sparse_histogram},
      {"gallery", {{"names", names(coded.gallery_rows)}, {"rows", coded.gallery_rows}, {"codes", std::move(codes)}}},
      {"users", std::move(users)},
      {"uses", uses_json(coded.uses)},
      {"names", names(coded.rows)},
      {"labels", labels_json(labels, coded.rows)},
      {"picture_samples", coded.picture_samples}};
}

void check_names(const Model& model, const ReportOptions& options) {
  const std::size_t n_features = options.feature_names.size();
  if (n_features != 0 && n_features != model.n_features())
    throw Error(ErrorKind::kUsage, "feature names: " + std::to_string(n_features) + " were given for the " +
                                       std::to_string(model.n_features()) + " features of the model; give one each");
  for (const auto& [what, given] :
       {std::pair("sample names: ", &options.sample_names), std::pair("labels: ", &options.sample_labels)}) {
    if (given->empty()) continue;
    const std::string count = what + std::to_string(given->size());
    if (options.data == nullptr) throw Error(ErrorKind::kUsage, count + " were given, but no samples");
    if (given->size() != options.data->n_samples())
      throw Error(ErrorKind::kUsage, count + " were given for the " + std::to_string(options.data->n_samples()) +
                                         " samples of " + options.data->name() + "; give one each");
  }
}

std::size_t values_of(const FittedEncoder& encoder) {
  return encoder.weights.size() + encoder.feedback.size() + encoder.decoder.size() + encoder.bias.size();
}

void add_encoder(const FittedEncoder& encoder, ReportData& data) {
  const std::string& mode = encoder.mode;
  if (!encoder.weights.empty()) data.later.push_back(tensor(mode + ".weights", encoder.weights));
  if (!encoder.feedback.empty()) data.later.push_back(tensor(mode + ".feedback", encoder.feedback));
  if (!encoder.decoder.empty()) data.later.push_back(tensor(mode + ".decoder", encoder.decoder));
  data.document["encoders"][mode] = {
      {"gain", encoder.gain}, {"threshold", encoder.threshold}, {"growth", encoder.growth}, {"bias", encoder.bias}};
  if (!encoder.levels.empty()) data.document["encoders"][mode]["level"] = encoder.levels(0, 1);
}

void add_encoders(const ModelParts& parts, ReportData& data) {
  data.document["encoders"] = Json::object();
  data.document["encoders_left_out"] = Json::array();
  std::size_t bytes = 0;
  bool fits = true;
  for (const FittedEncoder& encoder : parts.encoders) {
    bytes += values_of(encoder) * sizeof(float);
    fits = fits && bytes <= kMostEncoderBytes;  // `corrected` begins with the sparse code
    if (fits)
      add_encoder(encoder, data);
    else
      data.document["encoders_left_out"].push_back(encoder.mode);
  }
}

}  // namespace

ReportData make_report_data(const Model& model, const ReportOptions& options) {
  check_names(model, options);
  const ModelParts& parts = model.parts();
  const AtomNumbers numbers = atom_numbers(model.dictionary(), model.dual());
  ReportData data;
  data.document["title"] = options.title;
  data.document["model"] = Json::parse(describe_json(model));
  data.document["feature_means"] = parts.transform.feature_means();
  data.document["offset"] = parts.offset;
  data.document["feature_names"] = options.feature_names;
  data.document["atoms"] = atoms_json(numbers);
  data.document["frame"] = frame_json(model, numbers);
  data.document["trace"] = trace_json(options.trace);
  data.document["data"] = nullptr;
  data.first.push_back(tensor("dictionary", model.dictionary()));
  data.first.push_back(tensor("dual", model.dual()));
  if (options.data != nullptr) {
    const CodedSample coded = code_sample(model, *options.data, options.n_threads);
    data.document["data"] = data_json(*options.data, coded, SampleNames(options.sample_names), options.sample_labels);
    data.first.push_back(tensor("gallery", "float32", coded.gallery));
    data.first.push_back(tensor("pictures", "uint8", coded.pictures));
  }
  add_encoders(parts, data);
  return data;
}

}  // namespace dualdict
