// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <filesystem>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "exchange/format.h"
#include "io/bytes/input_error.h"
#include "io/tensors/safetensors.h"

namespace dualdict {
namespace {

constexpr std::array kFormats = {saelens_format, sparsify_format, sentence_transformers_format};
constexpr std::string_view kDictionary = "dictionary";
constexpr const char* kAtoms = "dictionary";

Model plain_dictionary(const std::string& path, Matrix<double> atoms, DType dtype) {
  Autoencoder plain;
  plain.origin = std::string(kDictionary);
  plain.dtype = dtype;
  plain.weights = atoms;
  plain.decoder = std::move(atoms);
  check_autoencoder(path, plain);
  return to_model(std::move(plain));
}

// The one matrix of a file that is no model.
Model read_tensors(const std::string& path, const TensorFile& file) {
  const Tensor* found = nullptr;
  for (const Tensor& tensor : file.tensors) {
    if (tensor.shape.size() != 2) continue;
    if (found != nullptr)
      fail_input(path, "holds several matrices, " + in_quotes(found->name) + " and " + in_quotes(tensor.name) +
                           ": which are the atoms? Keep that one, or give the folder with the configuration");
    found = &tensor;
  }
  if (found == nullptr) fail_input(path, "holds no matrix");
  return plain_dictionary(path, to_matrix(*found), found->dtype);
}

Model read_file(const std::string& path) {
  if (path.ends_with(".npy") || path.ends_with(".npz") || path.ends_with(".csv")) {
    const auto source = open_data({path});
    Matrix<double> atoms(source->n_samples(), source->n_features());
    source->read(0, atoms.view());
    return plain_dictionary(path, std::move(atoms),
                            source->element_type() == ElementType::kFloat64 ? DType::kFloat64 : DType::kFloat32);
  }
  const TensorFile file = read_safetensors(path);
  return file.metadata.contains("format") && file.metadata.at("format").starts_with("dualdict")
             ? Model::load(path)
             : read_tensors(path, file);
}

std::string format_names() {
  std::string names;
  for (const ForeignFormat& format : foreign_formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

void write_dictionary(const Model& model, const std::string& path) {
  const Matrix<double>& atoms = model.dictionary();
  if (path.ends_with(".npy")) {
    MatrixWriter writer(path, MatrixFormat::kNpy, model.dtype(), atoms.rows(), atoms.cols());
    writer.append(atoms.view());
    writer.finish();
    return;
  }
  TensorFile file;
  file.tensors.push_back(make_tensor(kAtoms, atoms, model.dtype()));
  write_safetensors(path, file);
}

}  // namespace

std::span<const ForeignFormat> foreign_formats() {
  static const std::vector<ForeignFormat> table = [] {
    std::vector<ForeignFormat> rows;
    for (const auto format : kFormats) rows.push_back(format().info);
    rows.push_back({kDictionary, "the atoms alone, one a row: npy, or safetensors with one matrix"});
    return rows;
  }();
  return table;
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(ErrorKind::kWrite, path + ": cannot make the folder: " + error.message());
}

void require_largest_only(const std::string& format, const Autoencoder& autoencoder) {
  if (autoencoder.k == 0)
    throw Error(ErrorKind::kUsage, format +
                                       ": keeps the k largest of each sample, not what is above a threshold; give "
                                       "mode topk:k, whose codes are others");
  if (autoencoder.is_signed)
    throw Error(ErrorKind::kUsage,
                format + ": its codes are never negative; give --split-signs, which makes two atoms of each");
}

Model load_any(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return read_file(path);
  for (const auto format : kFormats)
    if (format().matches(path)) return to_model(format().read(path));
  fail_input(path, "is a folder of no format that is read: " + format_names());
}

void export_model(const Model& model, const std::string& path, std::string_view format, const ExportOptions& options) {
  if (format == kDictionary) return write_dictionary(model, path);
  for (const auto known : kFormats)
    if (known().info.name == format) return known().write(from_model(model, options), path);
  throw Error(ErrorKind::kUsage, "format " + std::string(format) + " is not one of " + format_names());
}

}  // namespace dualdict
