// SPDX-License-Identifier: BSD-3-Clause
// The module SparseAutoEncoder of sentence-transformers: config.json and model.safetensors with encoder.weight [K, d],
// which decodes too, pre_bias, latent_bias. As a folder of its own, or as the module of a whole model.
#include <algorithm>
#include <filesystem>

#include "dualdict/error.h"
#include "dualdict/files.h"
#include "exchange/config.h"
#include "exchange/format.h"
#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

constexpr const char* kModuleConfig = "config.json";
constexpr const char* kModuleWeights = "model.safetensors";
constexpr const char* kModuleName = "_SparseAutoEncoder";

bool is_module(const std::string& folder) {
  return is_file(in_folder(folder, kModuleConfig)) && is_file(in_folder(folder, kModuleWeights));
}

// The module's own folder: this one, or its N_SparseAutoEncoder.
std::string module_folder(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (path.ends_with(kModuleName) && is_module(path)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  if (!found.empty()) return found.front();
  return is_module(folder) ? folder : "";
}

// Two names of one matrix; a writer keeps either.
Matrix<double> tied_weight(const Weights& weights, const std::string& path, DType& dtype) {
  constexpr const char* kEncoder = "encoder.weight";
  constexpr const char* kDecoder = "decoder.linear.weight";
  const char* name = weights.has(kEncoder) ? kEncoder : kDecoder;
  dtype = weights.dtype(name);
  Matrix<double> weight = weights.matrix(name);
  if (weights.has(kEncoder) && weights.has(kDecoder) && !(weights.matrix(kDecoder) == weight))
    fail_input(path, "tensors 'encoder.weight' and 'decoder.linear.weight' differ; they are one matrix");
  return weight;
}

Autoencoder read_module(const std::string& folder) {
  const std::string own = module_folder(folder);
  const Config config(in_folder(own, kModuleConfig));
  config.refuse("normalize",
                "each sample is divided by its standard deviation + 1e-5, which decoding has to give back");
  const std::string path = in_folder(own, kModuleWeights);
  const Weights weights(path);
  weights.require_only({"encoder.weight", "decoder.linear.weight", "pre_bias", "latent_bias", "stats_last_nonzero"});
  Autoencoder sae;
  sae.origin = "sentence-transformers, topk";
  sae.weights = tied_weight(weights, path, sae.dtype);
  sae.decoder = sae.weights;
  sae.bias = weights.vector("latent_bias");
  sae.decoder_bias = weights.vector("pre_bias");
  sae.k = config.largest_count(sae.n_atoms());
  check_autoencoder(path, sae);
  return sae;
}

void write_module(const Autoencoder& sae, const std::string& folder) {
  require_largest_only("sentence-transformers", sae);
  if (!(sae.weights == sae.decoder))
    throw Error(ErrorKind::kUsage,
                "sentence-transformers: one matrix encodes and decodes there, here they are two: what the codes of "
                "either decode to would be worse; write saelens or sparsify");
  const nlohmann::ordered_json config = {{"input_dim", sae.n_features()},
                                         {"hidden_dim", sae.n_atoms()},
                                         {"k", sae.k},
                                         {"k_aux", std::min<std::size_t>(512, sae.n_atoms())},
                                         {"normalize", false},
                                         {"dead_threshold", 30}};
  TensorFile file;
  file.metadata = {{"format", "pt"}, {"decoder.linear.weight", "encoder.weight"}};
  file.tensors.push_back(make_tensor("encoder.weight", sae.weights.view(), sae.dtype));
  file.tensors.push_back(make_tensor("latent_bias", sae.bias, sae.dtype));
  file.tensors.push_back(make_tensor("pre_bias", sae.decoder_bias, sae.dtype));
  file.tensors.push_back(make_tensor("stats_last_nonzero", std::vector<double>(sae.n_atoms()), sae.dtype));
  make_folder(folder);
  write_safetensors(in_folder(folder, kModuleWeights), file);
  write_text_file(in_folder(folder, kModuleConfig), config.dump(1) + "\n");
}

}  // namespace

const Format& sentence_transformers_format() {
  static const Format format = {
      .info = {.name = "sentence-transformers",
               .help = "a folder of its SparseAutoEncoder, or of a model with one: config.json and model.safetensors"},
      .matches = [](const std::string& path) { return !module_folder(path).empty(); },
      .read = read_module,
      .write = write_module};
  return format;
}

}  // namespace dualdict
