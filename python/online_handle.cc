// SPDX-License-Identifier: BSD-3-Clause
#include "online_handle.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

namespace dualdict::python {
namespace {

OnlineLearner* make_online(const std::map<std::string, std::string>& texts, const nb::dict& others) {
  LearnOptions options = to_options(texts);
  options.initial_dictionary = to_matrix(others["dict_init"]);
  options.initial_dual = to_matrix(others["dual_init"]);
  return new OnlineLearner(options, preprocess_of(others));
}

void update(OnlineLearner& learner, const nb::object& samples) {
  const auto block = source_of(samples);
  const nb::gil_scoped_release release;
  learner.update(*block);
}

Model model_of(const OnlineLearner& learner) {
  const nb::gil_scoped_release release;
  return learner.result().model;
}

nb::bytes state_of(const OnlineLearner& learner) {
  const std::string text = learner.to_bytes();
  return nb::bytes(text.data(), text.size());
}

nb::object in_precision_of(const OnlineLearner& learner, const Matrix<double>& matrix) {
  return to_numpy(matrix, learner.dtype());
}

}  // namespace

void define_online(nb::module_& module) {
  nb::class_<OnlineLearner>(module, "OnlineLearner")
      .def(nb::new_(&make_online), nb::arg("options"), nb::arg("others"))
      .def("update", &update, nb::arg("samples"))
      .def("model", &model_of)
      .def_prop_ro("n_samples", &OnlineLearner::n_samples)
      .def_prop_ro("n_updates", &OnlineLearner::n_updates)
      .def_prop_ro("tau", &OnlineLearner::tau)
      .def_prop_ro("components", [](const OnlineLearner& l) { return in_precision_of(l, l.dictionary()); })
      .def_prop_ro("dual", [](const OnlineLearner& l) { return in_precision_of(l, l.dual()); })
      .def_prop_ro("codes_by_codes",
                   [](const OnlineLearner& l) { return to_numpy(l.codes_by_codes(), DType::kFloat64); })
      .def_prop_ro("codes_by_samples",
                   [](const OnlineLearner& l) { return to_numpy(l.codes_by_samples(), DType::kFloat64); })
      .def_prop_ro("samples_by_samples",
                   [](const OnlineLearner& l) { return to_numpy(l.samples_by_samples(), DType::kFloat64); })
      .def("__getstate__", &state_of)
      .def("__setstate__", [](OnlineLearner& learner, const nb::bytes& bytes) {
        new (&learner) OnlineLearner(OnlineLearner::from_bytes({bytes.c_str(), bytes.size()}));
      });
}

}  // namespace dualdict::python
