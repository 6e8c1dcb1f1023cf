// SPDX-License-Identifier: BSD-3-Clause
#include "learn_start.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

#include "dualdict/data.h"
#include "dualdict/error.h"
#include "dualdict/model.h"
#include "table_flags.h"

namespace dualdict::cli {
namespace {

// A model file starts with the length of its header, eight bytes, and then the header, a JSON object.
bool looks_like_model(const std::string& path) {
  std::array<char, 9> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) && start.back() == '{';
}

void read_start(const std::string& path, LearnOptions& options) {
  if (looks_like_model(path)) {
    const Model model = Model::load(path);
    options.initial_dictionary = model.dictionary();
    options.initial_dual = model.dual();
    return;
  }
  const auto source = open_data({path});
  options.initial_dictionary = Matrix<double>(source->n_samples(), source->n_features());
  source->read(0, options.initial_dictionary.view());
}

}  // namespace

void add_start_flags(CLI::App& app, StartFlags& flags) {
  app.add_option("--init", flags.init,
                 "the first dictionary: samples (random ones), or a file: a model, or a matrix with one atom per row")
      ->type_name("samples|FILE")
      ->group(group_title("method"));
  app.add_option("--scale", flags.scale,
                 "none; unit: every sample gets norm 1; a number: every value is divided by it, as 255 for bytes")
      ->type_name("none|unit|x")
      ->group("Preprocessing, kept in the model");
  app.add_flag("--center-samples", flags.center_samples, "subtract from each sample the mean of its values")
      ->group("Preprocessing, kept in the model");
  app.add_flag("--center-features", flags.center_features, "subtract the mean of the training samples")
      ->group("Preprocessing, kept in the model");
}

PreprocessOptions parse_preprocess(const StartFlags& flags) {
  PreprocessOptions options;
  options.center_samples = flags.center_samples;
  options.center_features = flags.center_features;
  if (flags.scale == "none") return options;
  if (flags.scale == "unit") {
    options.unit_norm = true;
    return options;
  }
  const char* const last = flags.scale.data() + flags.scale.size();
  const auto [end, error] = std::from_chars(flags.scale.data(), last, options.scale);
  if (error != std::errc() || end != last || !std::isfinite(options.scale) || options.scale <= 0)
    throw Error(ErrorKind::kUsage, "--scale: " + flags.scale + " is not allowed: none, unit or a number > 0");
  return options;
}

void set_start(const StartFlags& flags, LearnOptions& options) {
  const bool from_file = flags.init != "samples";
  if (from_file) read_start(flags.init, options);
  if (options.n_atoms == 0 && from_file) options.n_atoms = options.initial_dictionary.rows();
  if (options.n_atoms == 0)
    throw Error(ErrorKind::kUsage, "--atoms: is missing: " + option_rule(*find_learn_option("atoms")));
}

}  // namespace dualdict::cli
