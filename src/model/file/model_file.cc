// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/model_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "core/hash.h"
#include "dualdict/error.h"
#include "io/bytes/input_error.h"
#include "model/file/description.h"

namespace dualdict {
namespace {

constexpr const char* kModelFormat = "dualdict";
constexpr const char* kChecksumKey = "checksum";

std::string dtype_name(DType dtype) {
  return dtype == DType::kFloat32 ? "float32" : "float64";
}

void add_encoder(TensorFile& file, const std::string& name, const FittedEncoder& encoder, DType dtype) {
  if (encoder.empty()) return;
  const auto add = [&](const std::string& part, const auto& values) {
    if (!values.empty()) file.tensors.push_back(make_tensor("encoder." + name + "." + part, values, dtype));
  };
  add("weights", encoder.weights);
  add("feedback", encoder.feedback);
  add("gain", encoder.gain);
  add("threshold", encoder.threshold);
  add("growth", encoder.growth);
  add("tau_slope", encoder.tau_slope);
  add("quantiles", encoder.quantiles);
}

// Takes the tensors of one file out with their rules checked.
class TensorReader {
 public:
  TensorReader(const TensorFile& file, const std::string& path, const Description& description)
      : file_(file), path_(path), description_(description) {}

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  // K x n_cols; any n_cols >= 1 when n_cols is 0.
  Matrix<double> matrix(const std::string& name, std::size_t n_cols) const {
    const Tensor& tensor = get(name, description_.parts.dtype);
    const std::size_t n_atoms = description_.n_atoms;
    const bool fits = tensor.shape.size() == 2 && tensor.shape[0] == n_atoms &&
                      (n_cols == 0 ? tensor.shape[1] > 0 : tensor.shape[1] == n_cols);
    if (!fits) fail_shape(tensor, {n_atoms, n_cols});
    return to_matrix(tensor);
  }
  Matrix<double> optional_matrix(const std::string& name, std::size_t n_cols) const {
    return has(name) ? matrix(name, n_cols) : Matrix<double>();
  }
  std::vector<double> vector(const std::string& name, std::size_t size, DType dtype) const {
    const Tensor& tensor = get(name, dtype);
    if (tensor.shape != std::vector<std::size_t>{size}) fail_shape(tensor, {size});
    return to_vector(tensor);
  }

  FittedEncoder encoder(const std::string& name, const std::string& decoder) const {
    const std::string prefix = "encoder." + name + ".";
    FittedEncoder result;
    if (!has(prefix + "weights")) return result;
    const auto one_an_atom = [&](const std::string& part) {
      return vector(prefix + part, description_.n_atoms, description_.parts.dtype);
    };
    result.weights = matrix(prefix + "weights", description_.n_features);
    result.feedback = optional_matrix(prefix + "feedback", description_.n_atoms);
    result.gain = one_an_atom("gain");
    result.threshold = one_an_atom("threshold");
    result.growth = one_an_atom("growth");
    result.tau_slope = one_an_atom("tau_slope");
    result.quantiles = optional_matrix(prefix + "quantiles", 0);
    result.decoder = optional_matrix(decoder, description_.n_features);
    return result;
  }

 private:
  const Tensor& get(const std::string& name, DType dtype) const {
    const Tensor* tensor = file_.find(name);
    if (tensor == nullptr) fail_input(path_, "tensor " + in_quotes(name) + " is missing");
    if (tensor->dtype != dtype)
      fail_input(path_, "tensor " + in_quotes(name) + " is " + dtype_name(tensor->dtype) + "; it must be " +
                            dtype_name(dtype));
    return *tensor;
  }
  [[noreturn]] void fail_shape(const Tensor& tensor, const std::vector<std::uint64_t>& wanted) const {
    const std::vector<std::uint64_t> shape(tensor.shape.begin(), tensor.shape.end());
    fail_input(path_, "tensor " + in_quotes(tensor.name) + " has shape " + shape_text(shape) + "; it must be " +
                          shape_text(wanted) +
                          (wanted.back() == 0 ? " with any number above 0 in the place of the 0" : ""));
  }

  const TensorFile& file_;
  const std::string& path_;
  const Description& description_;
};

// Every atom and filter lies in the unit ball, up to the rounding of its precision.
void check_norms(const std::string& path, const std::string& field, const Matrix<double>& rows, DType dtype) {
  const double limit = 1 + (dtype == DType::kFloat32 ? 1e-6 : 1e-12);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < rows.cols(); ++j) squared += rows(i, j) * rows(i, j);
    if (!(std::sqrt(squared) <= limit))
      fail_input(path, field + ": row " + std::to_string(i) + " (counted from 0) has norm " +
                           std::to_string(std::sqrt(squared)) + "; it must be at most 1");
  }
}

void check_norms(const std::string& path, const ModelParts& parts) {
  check_norms(path, "dictionary", parts.dictionary, parts.dtype);
  check_norms(path, "dual", parts.dual, parts.dtype);
}

const std::string& model_metadata(const TensorFile& file, const std::string& path, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) fail_input(path, "is not a dualdict model: its metadata have no " + in_quotes(key));
  return found->second;
}

void check_model_header(const TensorFile& file, const std::string& path) {
  const std::string& format = model_metadata(file, path, "format");
  if (format != kModelFormat)
    fail_input(path, "is not a dualdict model: format is " + in_quotes(format) + ", not " + in_quotes(kModelFormat));
  const std::string& schema = model_metadata(file, path, "schema");
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(schema.data(), schema.data() + schema.size(), number);
  if (error != std::errc() || end != schema.data() + schema.size() || number == 0)
    fail_input(path, "schema is " + in_quotes(schema) + "; it must be a whole number >= 1");
  if (number > kModelSchema)
    fail_input(path, "schema is " + schema + ", this version of dualdict reads up to " + std::to_string(kModelSchema) +
                         ": upgrade dualdict to read this model");
  const std::string& stored = model_metadata(file, path, kChecksumKey);
  const std::string found = model_checksum(file);
  if (stored != found)
    fail_input(path, "checksum is " + in_quotes(stored) + ", but the content gives " + in_quotes(found) +
                         ": the file is damaged or was changed; restore it from a copy or learn again");
}

// The constructors' own checks, with the file named.
Model make_model(ModelParts parts, const PreprocessOptions& preprocess, std::vector<double> means,
                 const std::string& path) {
  try {
    parts.transform = Transform(preprocess, std::move(means));
    return Model(std::move(parts));
  } catch (const Error& error) {
    fail_input(path, error.what());
  }
}

}  // namespace

std::string model_checksum(const TensorFile& file) {
  std::vector<const Tensor*> order;
  for (const Tensor& tensor : file.tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) { return a->name < b->name; });
  Hasher hasher;
  // The number of tensors first, so that a tensor's fields cannot pass for metadata.
  hasher.add_field(std::to_string(order.size()));
  for (const Tensor* tensor : order) {
    hasher.add_field(tensor->name);
    hasher.add_field(dtype_name(tensor->dtype));
    hasher.add_field(shape_text(std::vector<std::uint64_t>(tensor->shape.begin(), tensor->shape.end())));
    hasher.add_field({reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size()});
  }
  for (const auto& [key, value] : file.metadata) {
    if (key == kChecksumKey) continue;
    hasher.add_field(key);
    hasher.add_field(value);
  }
  return hasher.digest();
}

TensorFile to_tensor_file(const ModelParts& parts) {
  TensorFile file;
  file.tensors.push_back(make_tensor("dictionary", parts.dictionary, parts.dtype));
  file.tensors.push_back(make_tensor("dual", parts.dual, parts.dtype));
  add_encoder(file, "sparse", parts.sparse, parts.dtype);
  add_encoder(file, "corrected", parts.corrected, parts.dtype);
  if (!parts.sparse.decoder.empty()) file.tensors.push_back(make_tensor("decoder", parts.sparse.decoder, parts.dtype));
  if (!parts.corrected.decoder.empty())
    file.tensors.push_back(make_tensor("decoder.corrected", parts.corrected.decoder, parts.dtype));
  if (!parts.transform.feature_means().empty())
    file.tensors.push_back(make_tensor("transform.feature_means", parts.transform.feature_means(), DType::kFloat64));
  file.metadata["format"] = kModelFormat;
  file.metadata["schema"] = std::to_string(kModelSchema);
  file.metadata["description"] = description_text(parts);
  file.metadata[kChecksumKey] = model_checksum(file);
  return file;
}

Model from_tensor_file(const TensorFile& file, const std::string& path) {
  check_model_header(file, path);
  Description description = parse_description(model_metadata(file, path, "description"), path);
  const TensorReader reader(file, path, description);
  ModelParts parts = description.parts;
  parts.dictionary = reader.matrix("dictionary", description.n_features);
  parts.dual = reader.matrix("dual", description.n_features);
  parts.sparse = reader.encoder("sparse", "decoder");
  parts.corrected = reader.encoder("corrected", "decoder.corrected");
  std::vector<double> means;
  if (description.preprocess.center_features)
    means = reader.vector("transform.feature_means", description.n_features, DType::kFloat64);
  Model model = make_model(std::move(parts), description.preprocess, std::move(means), path);
  check_norms(path, model.parts());
  return model;
}

Model Model::load(const std::string& path) {
  return from_tensor_file(read_safetensors(path), path);
}

void Model::save(const std::string& path) const {
  check_norms("model", *parts_);
  write_safetensors(path, to_tensor_file(*parts_));
}

Model Model::from_bytes(std::string_view bytes, const std::string& name) {
  // The bytes outlive the source, which needs no owner.
  const MemoryBytes source(name, nullptr, std::as_bytes(std::span(bytes)));
  return from_tensor_file(read_safetensors(source), name);
}

std::string Model::to_bytes() const {
  check_norms("model", *parts_);
  StringSink sink;
  write_safetensors(sink, to_tensor_file(*parts_));
  return std::move(sink.text);
}

}  // namespace dualdict
