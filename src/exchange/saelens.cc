// SPDX-License-Identifier: BSD-3-Clause
// SAELens: cfg.json and sae_weights.safetensors with W_enc [d, K], b_enc, W_dec [K, d], b_dec, threshold.
#include <algorithm>
#include <cmath>

#include "dualdict/error.h"
#include "dualdict/files.h"
#include "exchange/config.h"
#include "exchange/format.h"
#include "io/bytes/input_error.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr const char* kSaeLensConfig = "cfg.json";
constexpr const char* kSaeLensWeights = "sae_weights.safetensors";

// b_enc is for the sample as it is, where b_dec is not taken off first.
void move_bias(Autoencoder& sae) {
  for (std::size_t j = 0; j < sae.n_atoms(); ++j)
    sae.bias[j] += dot(sae.weights.row(j), sae.decoder_bias.data(), sae.n_features());
}

// The largest are chosen of z times the atom's length, and decoding divides by it.
void scale_by_atoms(Autoencoder& sae) {
  for (std::size_t j = 0; j < sae.n_atoms(); ++j) {
    const double length = norm(sae.decoder.row(j), sae.n_features());
    sae.bias[j] *= length;
    for (std::size_t f = 0; f < sae.n_features(); ++f) {
      sae.weights(j, f) *= length;
      if (length > 0) sae.decoder(j, f) /= length;
    }
  }
}

// Files of the first versions say "standard" and name the cut elsewhere.
std::string cut_of(const Config& config) {
  const std::string architecture = config.text("architecture", "standard");
  const std::string activation = config.text("activation_fn", config.text("activation_fn_str", "relu"));
  if (architecture == "standard" && activation == "topk") return "topk";
  if (activation != "relu" && activation != "topk")
    config.fail("'activation_fn' is " + in_quotes(activation) + "; relu and topk are read, no mode computes another");
  return architecture;
}

Autoencoder read_saelens(const std::string& folder) {
  const Config config(in_folder(folder, kSaeLensConfig));
  config.require("architecture", "standard", {"standard", "jumprelu", "topk", "abstopk"},
                 "Others have a second product, a loop or an order of samples that no mode has: keep the atoms alone, "
                 "as W_dec in an npy file");
  config.require("normalize_activations", "none", {"none", "expected_average_only_in", "covariance_whitening"},
                 "Every sample would have a scale of its own, that decoding has to give back: codes would be right "
                 "and what they decode to wrong");
  config.refuse("finetuning_scaling_factor", "fold it into W_dec first");
  const std::string cut = cut_of(config);
  const std::string path = in_folder(folder, kSaeLensWeights);
  const Weights weights(path);
  Autoencoder sae;
  sae.origin = "SAELens, " + cut;
  sae.dtype = weights.dtype("W_enc");
  sae.weights = weights.matrix("W_enc", true);
  sae.decoder = weights.matrix("W_dec");
  sae.bias = weights.vector("b_enc");
  sae.decoder_bias = weights.vector("b_dec");
  sae.is_signed = cut == "abstopk";
  if (cut == "jumprelu") {
    weights.require_only({"W_enc", "W_dec", "b_enc", "b_dec", "threshold"});
    sae.threshold = weights.vector("threshold");
    // Its codes are never negative, whatever the threshold.
    for (double& threshold : sae.threshold) threshold = std::max(threshold, 0.0);
  } else {
    weights.require_only({"W_enc", "W_dec", "b_enc", "b_dec"});
  }
  if (cut == "topk" || cut == "abstopk") {
    sae.k = config.largest_count(sae.n_atoms(), "activation_fn_kwargs");
  }
  check_autoencoder(path, sae);
  if (!config.flag("apply_b_dec_to_input", true)) move_bias(sae);
  if (sae.k > 0 && config.flag("rescale_acts_by_decoder_norm", false)) scale_by_atoms(sae);
  return sae;
}

bool has_thresholds(const Autoencoder& sae) {
  return std::any_of(sae.threshold.begin(), sae.threshold.end(), [](double t) { return t > 0; });
}

void write_saelens(const Autoencoder& sae, const std::string& folder) {
  if (sae.is_signed && sae.k == 0)
    throw Error(ErrorKind::kUsage,
                "saelens: no architecture keeps codes of both signs above a threshold; give --split-signs, which "
                "makes two atoms of each, or --mode topk:k");
  const std::string cut = sae.k > 0             ? (sae.is_signed ? "abstopk" : "topk")
                          : has_thresholds(sae) ? "jumprelu"
                                                : "standard";
  nlohmann::ordered_json config = nlohmann::ordered_json::object();
  config["architecture"] = cut;
  config["d_in"] = sae.n_features();
  config["d_sae"] = sae.n_atoms();
  config["dtype"] = sae.dtype == DType::kFloat32 ? "float32" : "float64";
  config["device"] = "cpu";
  config["apply_b_dec_to_input"] = true;
  config["normalize_activations"] = "none";
  config["reshape_activations"] = "none";
  if (sae.k > 0) {
    config["k"] = sae.k;
    config["rescale_acts_by_decoder_norm"] = false;
  }
  config["metadata"] = nlohmann::ordered_json::object();
  TensorFile file;
  file.tensors.push_back(make_tensor("W_enc", transpose<double>(sae.weights.view()).view(), sae.dtype));
  file.tensors.push_back(make_tensor("W_dec", sae.decoder.view(), sae.dtype));
  file.tensors.push_back(make_tensor("b_enc", sae.bias, sae.dtype));
  file.tensors.push_back(make_tensor("b_dec", sae.decoder_bias, sae.dtype));
  if (cut == "jumprelu") file.tensors.push_back(make_tensor("threshold", sae.threshold, sae.dtype));
  make_folder(folder);
  write_safetensors(in_folder(folder, kSaeLensWeights), file);
  write_text_file(in_folder(folder, kSaeLensConfig), config.dump(1) + "\n");
}

}  // namespace

const Format& saelens_format() {
  static const Format format = {
      .info = {.name = "saelens", .help = "a folder of SAELens: cfg.json and sae_weights.safetensors"},
      .matches =
          [](const std::string& path) {
            return is_file(in_folder(path, kSaeLensConfig)) && is_file(in_folder(path, kSaeLensWeights));
          },
      .read = read_saelens,
      .write = write_saelens};
  return format;
}

}  // namespace dualdict
