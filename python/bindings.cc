// SPDX-License-Identifier: BSD-3-Clause
// The module dualdict._core: converts, releases the GIL, calls. What users see is written in Python above it.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <filesystem>

#include "block_handle.h"
#include "convert.h"
#include "encoder_handle.h"
#include "exchange_call.h"
#include "image_call.h"
#include "learn_call.h"
#include "online_handle.h"
#include "report_call.h"
#include "search_call.h"
#include "source_handle.h"

namespace dualdict::python {
namespace {

template <class T>
nb::dict verify_array(const Model& model, const InArray<T>& samples, std::size_t n_threads) {
  Verification result;
  {
    const nb::gil_scoped_release release;
    result = verify(model, *make_source(view_of(samples)), n_threads);
  }
  return to_dict(result);
}

// The tensors of a fitted encoder, for whoever writes it in another form; None for those that it has not.
nb::object encoder_dict(const FittedEncoder* encoder, DType dtype) {
  if (encoder == nullptr) return nb::none();
  nb::dict result;
  for_each_tensor(*encoder, [&](std::string_view name, TensorColumns, const auto& tensor) {
    result[nb::str(name.data(), name.size())] = tensor.empty() ? nb::none() : to_numpy(tensor, dtype);
  });
  result["decoder"] = encoder->decoder.empty() ? nb::none() : to_numpy(encoder->decoder, dtype);
  return result;
}

double eta_of(const std::map<std::string, std::string>& texts, std::size_t n_features) {
  const LearnOptions options = to_options(texts);
  validate(options);
  return resolve_eta(options, n_features);
}

nb::bytes bytes_of(const Model& model) {
  const std::string text = model.to_bytes();
  return nb::bytes(text.data(), text.size());
}
Model from_bytes(const nb::bytes& bytes) {
  return Model::from_bytes({bytes.c_str(), bytes.size()});
}

// What is written in Python, beside the library.
nb::object in_python(const char* name) {
  return nb::module_::import_("dualdict._report").attr(name);
}
void call_report(const nb::object& model, const nb::object& path, const nb::object& samples,
                 const nb::kwargs& options) {
  in_python("report")(model, path, samples, **options);
}

std::string repr_of(const Model& model) {
  std::string text = "Model(" + std::to_string(model.n_atoms()) + " atoms of " + std::to_string(model.n_features()) +
                     " features, " + (model.dtype() == DType::kFloat32 ? "float32" : "float64") + ", encoders fitted: ";
  std::string modes;
  for (const FittedEncoder& encoder : model.parts().encoders) modes += (modes.empty() ? "" : ", ") + encoder.mode;
  return text + (modes.empty() ? "none" : modes) + ")";
}

void define_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A dictionary, its dual and the fitted encoders. Immutable; pickles as its file.")
      .def_static(
          "load", [](const std::filesystem::path& path) { return Model::load(path.string()); }, nb::arg("path"),
          nb::call_guard<nb::gil_scoped_release>())
      .def_static("from_bytes", &from_bytes, nb::arg("bytes"))
      .def("to_bytes", &bytes_of)
      .def(
          "save", [](const Model& model, const std::filesystem::path& path) { model.save(path.string()); },
          nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](Model& model, const nb::bytes& bytes) { new (&model) Model(from_bytes(bytes)); })
      .def_prop_ro("n_atoms", &Model::n_atoms)
      .def_prop_ro("n_features", &Model::n_features)
      .def_prop_ro("dtype", [](const Model& model) { return model.dtype() == DType::kFloat32 ? "float32" : "float64"; })
      .def_prop_ro("tau", [](const Model& model) { return model.parts().tau; })
      .def_prop_ro("eta", [](const Model& model) { return model.parts().eta; })
      .def_prop_ro("mu", [](const Model& model) { return model.parts().mu; })
      .def_prop_ro("positive_codes", [](const Model& model) { return model.parts().positive_codes; })
      .def_prop_ro("penalty", [](const Model& model) { return model.parts().penalty == Penalty::kL0 ? "l0" : "l1"; })
      .def_prop_ro("offset", [](const Model& model) { return to_numpy(model.parts().offset, model.dtype()); })
      .def_prop_ro("default_mode", [](const Model& model) { return std::string(default_mode(model)); })
      .def_prop_ro("mean_norm", [](const Model& model) { return model.parts().mean_norm; })
      .def_prop_ro(
          "components", [](const Model& model) { return to_numpy(model.dictionary(), model.dtype()); },
          nb::for_getter(nb::sig("def components(self) -> numpy.typing.NDArray")))
      .def_prop_ro(
          "dual", [](const Model& model) { return to_numpy(model.dual(), model.dtype()); },
          nb::for_getter(nb::sig("def dual(self) -> numpy.typing.NDArray")))
      .def_prop_ro(
          "feature_means",
          [](const Model& model) { return to_numpy(model.parts().transform.feature_means(), DType::kFloat64); })
      .def(
          "fitted_encoder",
          [](const Model& model, const std::string& mode) {
            return encoder_dict(model.parts().find_encoder(mode), model.dtype());
          },
          nb::arg("mode"))
      .def(
          "mosaic",
          [](const Model& model, std::size_t zoom, std::size_t columns) {
            return to_numpy(convert<double>(draw_mosaic(model, {.zoom = zoom, .columns = columns})), DType::kFloat32);
          },
          nb::arg("zoom") = 0, nb::arg("columns") = 0,
          nb::sig("def mosaic(self, zoom: int = 0, columns: int = 0) -> numpy.typing.NDArray"),
          "Atoms (left) and filters (right), most used first, as a grey picture of values 0..255; zoom is in pixels "
          "per "
          "value, columns in tiles, 0 leaves the choice.")
      .def("report", &call_report, nb::arg("path"), nb::arg("X") = nb::none(), nb::arg("options"),
           nb::sig("def report(self, path: str | os.PathLike[str], X: typing.Any = None, *, trace: typing.Any = (), "
                   "title: str = '', feature_names: collections.abc.Sequence[str] | None = None, "
                   "sample_names: collections.abc.Iterable[typing.Any] | None = None, "
                   "labels: collections.abc.Iterable[typing.Any] | None = None, n_jobs: int | None = None) "
                   "-> None"),
           "Writes a page that shows the model: one HTML file that opens in any browser and loads nothing. Up to 2000 "
           "samples of X are coded and counted; trace, a summary or its iterations, gives the curves.")
      .def("__repr__", &repr_of)
      .def("_repr_html_", [](const nb::object& model) { return in_python("repr_html")(model); })
      .def("refine_curvature", &refine_curvature, nb::arg("eta"))
      .def("describe_json", [](const Model& model) { return describe_json(model); });
}

nb::list image_list(std::size_t n_images, std::size_t size, std::uint64_t seed) {
  nb::list images;
  for (const Matrix<float>& image : generate_dead_leaves(n_images, size, seed))
    images.append(to_numpy(convert<double>(image), DType::kFloat32));
  return images;
}

template <class T>
void define_functions(nb::module_& module) {
  module.def("verify", &verify_array<T>, nb::arg("model"), nb::arg("samples").noconvert(), nb::arg("n_threads"));
}

NB_MODULE(_core, module) {
  // What lives on when the interpreter ends (a model in a module) is no leak that users could mend.
  nb::set_leak_warnings(false);
  register_errors();
  module.attr("__version__") = DUALDICT_VERSION;
  module.def("option_table", &option_list);
  module.def("resolve_eta", &eta_of, nb::arg("options"), nb::arg("n_features"));
  define_model(module);
  define_source(module);
  define_encoder(module);
  define_functions<float>(module);
  define_functions<double>(module);
  define_online(module);
  define_exchange(module);
  define_blocks(module);
  define_report(module);
  define_search(module);
  define_images(module);
  module.def("generate_images", &image_list, nb::arg("n_images"), nb::arg("size"), nb::arg("seed"));
  module.def(
      "write_png",
      [](const std::filesystem::path& path, const InArray<float>& pixels) {
        write_grey_png(path.string(), view_of(pixels));
      },
      nb::arg("path"), nb::arg("pixels"));
  module.def("learn", &call_learn, nb::arg("samples"), nb::arg("options"), nb::arg("others"));
}

}  // namespace
}  // namespace dualdict::python
