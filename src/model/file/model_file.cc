// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/model_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/hash.h"
#include "dualdict/error.h"
#include "io/bytes/input_error.h"
#include "model/file/description.h"
#include "model/modes/mode.h"

namespace dualdict {
namespace {

constexpr const char* kModelFormat = "dualdict";
constexpr const char* kChecksumKey = "checksum";

std::string dtype_name(DType dtype) {
  return dtype == DType::kFloat32 ? "float32" : "float64";
}

// The mode that the first model files knew has its decoder under a name without a mode.
std::string decoder_name(std::string_view mode) {
  return mode == "sparse" ? "decoder" : "decoder." + std::string(mode);
}

void add_encoder(TensorFile& file, const FittedEncoder& encoder, DType dtype) {
  for_each_tensor(encoder, [&](std::string_view part, TensorColumns, const auto& values) {
    if (values.empty()) return;
    file.tensors.push_back(make_tensor("encoder." + encoder.mode + "." + std::string(part), values, dtype));
  });
}

// Takes the tensors of one file out with their rules checked.
class TensorReader {
 public:
  TensorReader(TensorFile& file, const std::string& path, const Description& description)
      : file_(file), path_(path), description_(description) {}

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  // K x n_cols; any n_cols >= 1 when n_cols is 0.
  Matrix<double> matrix(const std::string& name, std::size_t n_cols) const {
    Tensor& tensor = get(name, description_.parts.dtype);
    const std::size_t n_atoms = description_.n_atoms;
    const bool fits = tensor.shape.size() == 2 && tensor.shape[0] == n_atoms &&
                      (n_cols == 0 ? tensor.shape[1] > 0 : tensor.shape[1] == n_cols);
    if (!fits) fail_shape(tensor, {n_atoms, n_cols});
    Matrix<double> result = to_matrix(tensor);
    tensor.bytes = {};  // never the whole file twice
    return result;
  }
  Matrix<double> optional_matrix(const std::string& name, std::size_t n_cols) const {
    return has(name) ? matrix(name, n_cols) : Matrix<double>();
  }
  std::vector<double> vector(const std::string& name, std::size_t size, DType dtype) const {
    const Tensor& tensor = get(name, dtype);
    if (tensor.shape != std::vector<std::size_t>{size}) fail_shape(tensor, {size});
    return to_vector(tensor);
  }

  // The encoder of a mode with these tensors, if the file has it.
  std::optional<FittedEncoder> encoder(const Mode& mode) const {
    FittedEncoder result;
    result.mode = mode.info.name;
    const std::string prefix = "encoder." + result.mode + ".";
    if (mode.tensors.empty() || !has(prefix + std::string(mode.tensors.front()))) return {};
    for_each_tensor(result, [&](std::string_view part, TensorColumns columns, auto& tensor) {
      const std::string name = prefix + std::string(part);
      const bool wanted = std::find(mode.tensors.begin(), mode.tensors.end(), part) != mode.tensors.end();
      if (wanted || has(name)) read(name, columns, tensor);
    });
    result.decoder = optional_matrix(decoder_name(result.mode), description_.n_features);
    return result;
  }

 private:
  void read(const std::string& name, TensorColumns, std::vector<double>& values) const {
    values = vector(name, description_.n_atoms, description_.parts.dtype);
  }
  void read(const std::string& name, TensorColumns columns, Matrix<double>& values) const {
    if (columns == TensorColumns::kPairs) {
      values = pairs(name);
      return;
    }
    values = matrix(name, columns == TensorColumns::kAny     ? 0
                          : columns == TensorColumns::kAtoms ? description_.n_atoms
                                                             : description_.n_features);
  }
  Matrix<double> pairs(const std::string& name) const {
    const Tensor& tensor = get(name, description_.parts.dtype);
    if (tensor.shape.size() != 2 || tensor.shape[0] == 0 || tensor.shape[1] != 2) fail_shape(tensor, {1, 2});
    return to_matrix(tensor);
  }
  Tensor& get(const std::string& name, DType dtype) const {
    Tensor* tensor = file_.find(name);
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

  TensorFile& file_;
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
  if (parts.penalty == Penalty::kL1) check_norms(path, "dual", parts.dual, parts.dtype);
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

// Of any size it would cost many times that size to parse.
Description read_description(const TensorFile& file, const std::string& path) {
  constexpr std::size_t kMaxText = std::size_t{1} << 20;
  constexpr std::size_t kMaxPerAtom = 32;  // its use
  const Tensor* dictionary = file.find("dictionary");
  const std::size_t n_atoms = dictionary == nullptr || dictionary->shape.empty() ? 0 : dictionary->shape[0];
  const std::string& text = model_metadata(file, path, "description");
  if (text.size() > kMaxText && (text.size() - kMaxText) / kMaxPerAtom > n_atoms)
    fail_input(path, "description: is " + std::to_string(text.size()) + " bytes long; that of " +
                         std::to_string(n_atoms) + " atoms may have " + std::to_string(kMaxText) + " and " +
                         std::to_string(kMaxPerAtom) + " an atom");
  return parse_description(text, path);
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
  if (!parts.offset.empty()) file.tensors.push_back(make_tensor("offset", parts.offset, parts.dtype));
  for (const FittedEncoder& encoder : parts.encoders) add_encoder(file, encoder, parts.dtype);
  for (const FittedEncoder& encoder : parts.encoders)
    if (!encoder.decoder.empty())
      file.tensors.push_back(make_tensor(decoder_name(encoder.mode), encoder.decoder, parts.dtype));
  if (!parts.transform.feature_means().empty())
    file.tensors.push_back(make_tensor("transform.feature_means", parts.transform.feature_means(), DType::kFloat64));
  file.metadata["format"] = kModelFormat;
  file.metadata["schema"] = std::to_string(kModelSchema);
  file.metadata["description"] = description_text(parts);
  file.metadata[kChecksumKey] = model_checksum(file);
  return file;
}

Model from_tensor_file(TensorFile file, const std::string& path) {
  check_model_header(file, path);
  Description description = read_description(file, path);
  const TensorReader reader(file, path, description);
  ModelParts parts = std::move(description.parts);
  parts.dictionary = reader.matrix("dictionary", description.n_features);
  parts.dual = reader.matrix("dual", description.n_features);
  if (reader.has("offset")) parts.offset = reader.vector("offset", description.n_features, parts.dtype);
  for (const Mode* mode : all_modes())
    if (auto encoder = reader.encoder(*mode)) parts.encoders.push_back(*std::move(encoder));
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
