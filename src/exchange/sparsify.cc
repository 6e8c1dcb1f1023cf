// SPDX-License-Identifier: BSD-3-Clause
// EleutherAI's sparsify (before: latent-sae): cfg.json and sae.safetensors with encoder.weight [K, d], encoder.bias,
// W_dec [K, d], b_dec.
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "exchange/config.h"
#include "exchange/format.h"

namespace dualdict {
namespace {

constexpr const char* kSparsifyConfig = "cfg.json";
constexpr const char* kSparsifyWeights = "sae.safetensors";

Autoencoder read_sparsify(const std::string& folder) {
  const Config config(in_folder(folder, kSparsifyConfig));
  config.require("activation", "topk", {"topk"}, "Of the others no mode keeps the same atoms");
  config.refuse("skip_connection", "a linear way past the codes would be lost");
  config.refuse("transcode", "it decodes to other numbers than it reads");
  const std::string path = in_folder(folder, kSparsifyWeights);
  const Weights weights(path);
  weights.require_only({"encoder.weight", "encoder.bias", "W_dec", "b_dec"});
  Autoencoder sae;
  sae.origin = "sparsify, topk";
  sae.dtype = weights.dtype("encoder.weight");
  sae.weights = weights.matrix("encoder.weight");
  sae.decoder = weights.matrix("W_dec");
  sae.bias = weights.vector("encoder.bias");
  sae.decoder_bias = weights.vector("b_dec");
  sae.k = config.largest_count(sae.n_atoms());
  check_autoencoder(path, sae);
  return sae;
}

void write_sparsify(const Autoencoder& sae, const std::string& folder) {
  require_largest_only("sparsify", sae);
  const nlohmann::ordered_json config = {{"activation", "topk"},
                                         {"expansion_factor", 32},
                                         {"normalize_decoder", false},
                                         {"num_latents", sae.n_atoms()},
                                         {"k", sae.k},
                                         {"multi_topk", false},
                                         {"skip_connection", false},
                                         {"transcode", false},
                                         {"d_in", sae.n_features()}};
  TensorFile file;
  file.tensors.push_back(make_tensor("encoder.weight", sae.weights.view(), sae.dtype));
  file.tensors.push_back(make_tensor("encoder.bias", sae.bias, sae.dtype));
  file.tensors.push_back(make_tensor("W_dec", sae.decoder.view(), sae.dtype));
  file.tensors.push_back(make_tensor("b_dec", sae.decoder_bias, sae.dtype));
  make_folder(folder);
  write_safetensors(in_folder(folder, kSparsifyWeights), file);
  write_text_file(in_folder(folder, kSparsifyConfig), config.dump(1) + "\n");
}

}  // namespace

const Format& sparsify_format() {
  static const Format format = {
      .info = {.name = "sparsify", .help = "a folder of EleutherAI's sparsify: cfg.json and sae.safetensors"},
      .matches =
          [](const std::string& path) {
            return is_file(in_folder(path, kSparsifyConfig)) && is_file(in_folder(path, kSparsifyWeights));
          },
      .read = read_sparsify,
      .write = write_sparsify};
  return format;
}

}  // namespace dualdict
