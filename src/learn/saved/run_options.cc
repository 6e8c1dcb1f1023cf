// SPDX-License-Identifier: BSD-3-Clause
#include "learn/saved/run_options.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "dualdict/error.h"
#include "learn/fit/coding_weights.h"
#include "learn/fit/start.h"
#include "learn/saved/checkpoint_header.h"
#include "learn/saved/fit_file.h"

namespace dualdict {

void add_run(TensorFile& file, const RunOptions& run) {
  nlohmann::json json = nlohmann::json::object();
  for (const OptionInfo& option : learn_option_table())
    json[std::string(option.name)] = option_text(run.options, option);
  PreprocessOptions::for_each_field(run.preprocess,
                                    [&](const char* name, const auto& value) { json["preprocess"][name] = value; });
  json["n_features"] = run.n_features;
  file.metadata["run"] = json.dump();
  for (const auto& [name, matrix] :
       {std::pair{"initial_dictionary", &run.options.initial_dictionary}, {"initial_dual", &run.options.initial_dual}})
    if (!matrix->empty()) file.tensors.push_back(make_tensor(name, matrix->view(), DType::kFloat64));
}

RunOptions read_run(const TensorFile& file, const std::string& name) {
  RunOptions run;
  const auto json = nlohmann::json::parse(metadata_of(file, name, "run"), nullptr, false);
  try {
    for (const OptionInfo& option : learn_option_table())
      set_option(run.options, option, json.at(std::string(option.name)).get<std::string>());
    PreprocessOptions::for_each_field(
        run.preprocess, [&](const char* field, auto& value) { json.at("preprocess").at(field).get_to(value); });
    json.at("n_features").get_to(run.n_features);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, name + ": metadata: 'run' lacks what every such state has");
  }
  for (const auto& [tensor_name, matrix] :
       {std::pair{"initial_dictionary", &run.options.initial_dictionary}, {"initial_dual", &run.options.initial_dual}})
    if (const Tensor* tensor = file.find(tensor_name)) *matrix = to_matrix(*tensor);
  return run;
}

FitState read_fit(const TensorFile& file, const std::string& name, const RunOptions& run) {
  const LearnOptions& options = run.options;
  FitState fit = options.dtype == DType::kFloat32 ? empty_state<float>(options, run.n_features)
                                                  : empty_state<double>(options, run.n_features);
  if (options.nonzeros && options.penalty == Penalty::kL1)
    fit.tau.search.emplace(learning_nonzeros(options, run.n_features));
  read_state(file, name, fit);
  return fit;
}

}  // namespace dualdict
