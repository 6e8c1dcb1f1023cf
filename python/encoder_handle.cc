// SPDX-License-Identifier: BSD-3-Clause
#include "encoder_handle.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "python_caller.h"
#include "source_handle.h"

namespace dualdict::python {
namespace {

using OutVector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// An encoder that survives a fork: the threads of its parent do not exist in the child, which makes a copy.
class EncoderHandle {
 public:
  EncoderHandle(const Model& model, const std::map<std::string, nb::object>& options, const nb::object& sample) {
    EncodeOptions wanted;
    wanted.mode = nb::cast<std::string>(options.at("mode"));
    wanted.tau = nb::cast<std::optional<double>>(options.at("tau"));
    wanted.nonzeros = nb::cast<std::optional<double>>(options.at("nonzeros"));
    wanted.eta = nb::cast<std::optional<double>>(options.at("eta"));
    wanted.max_error = nb::cast<std::optional<double>>(options.at("max_error"));
    wanted.debias = nb::cast<std::optional<bool>>(options.at("debias"));
    wanted.n_threads = nb::cast<std::size_t>(options.at("n_threads"));
    std::shared_ptr<const DataSource> source;
    if (!sample.is_none()) source = source_of(sample);
    encoder_ = std::make_unique<Encoder>(model, wanted, source.get());
  }

  double tau() const { return encoder_->tau(); }
  double level() const { return encoder_->level(); }

  template <class T>
  void encode(const InArray<T>& samples, const OutArray<T>& codes) {
    const Encoder& encoder = here();
    const nb::gil_scoped_release release;
    encoder.encode(view_of(samples), view_of(codes));
  }
  template <class T>
  void decode(const InArray<T>& codes, const OutArray<T>& samples) {
    const Encoder& encoder = here();
    const nb::gil_scoped_release release;
    encoder.decode(view_of(codes), view_of(samples));
  }
  template <class T>
  void score(const InArray<T>& samples, const OutVector& errors, bool relative) {
    const Encoder& encoder = here();
    const nb::gil_scoped_release release;
    encoder.score(view_of(samples), {errors.data(), errors.shape(0)}, relative);
  }

  // Ctrl-C is heard: what was at `output` before then stays.
  void encode_files(const std::string& output, MatrixFormat format, const DataSource& source) {
    const Encoder& encoder = here();
    PythonCaller python;
    python.run([&] {
      const OutputLock lock(output);
      MatrixWriter writer(output, format, encoder.model().dtype(), source.n_samples(), encoder.n_atoms());
      dualdict::encode(encoder, source, writer, &python.interrupt());
    });
    if (python.raised().is_none()) return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(python.raised().ptr())), python.raised().ptr());
    throw nb::python_error();
  }

 private:
  // With the GIL held, so by one thread at a time. The old encoder is left alone: ending it would wait for its threads.
  const Encoder& here() {
    if (getpid() == owner_) return *encoder_;
    encoder_ = std::make_unique<Encoder>(*encoder_.release());  // NOLINT(bugprone-unused-return-value)
    owner_ = getpid();
    return *encoder_;
  }

  std::unique_ptr<Encoder> encoder_;
  pid_t owner_ = getpid();
};

template <class T>
void decode_array(const Model& model, const InArray<T>& codes, const OutArray<T>& samples, const std::string& mode,
                  std::optional<bool> debias) {
  const nb::gil_scoped_release release;
  Decoder(model, mode, decode_with(mode, debias)).decode(view_of(codes), view_of(samples));
}

template <class T>
void define_for(nb::module_& module, nb::class_<EncoderHandle>& encoder) {
  encoder.def("encode", &EncoderHandle::encode<T>, nb::arg("samples").noconvert(), nb::arg("codes").noconvert())
      .def("decode", &EncoderHandle::decode<T>, nb::arg("codes").noconvert(), nb::arg("samples").noconvert())
      .def("score", &EncoderHandle::score<T>, nb::arg("samples").noconvert(), nb::arg("errors").noconvert(),
           nb::arg("relative"));
  module.def("decode", &decode_array<T>, nb::arg("model"), nb::arg("codes").noconvert(), nb::arg("samples").noconvert(),
             nb::arg("mode"), nb::arg("debias").none());
}

nb::list mode_list() {
  nb::list rows;
  for (const ModeInfo& info : mode_table()) {
    nb::dict row;
    row["name"] = info.name;
    row["form"] = mode_form(info);
    row["number"] = info.number;
    row["usual_number"] = info.usual_number;
    row["help"] = info.help;
    row["cost"] = info.cost;
    row["sparse"] = info.sparse;
    row["takes_tau"] = info.takes_tau;
    row["takes_nonzeros"] = info.takes_nonzeros;
    row["takes_max_error"] = info.takes_max_error;
    row["debiased"] = info.debiased;
    row["takes_eta"] = info.takes_eta;
    row["needs_sample"] = info.needs_sample;
    row["no_graph"] = info.no_graph;
    rows.append(row);
  }
  return rows;
}

// The name and the number of a mode. Also so that a mistake shows before a long fit, not after it.
nb::tuple check_mode(const std::string& mode) {
  const ModeChoice choice = parse_mode(mode);
  return nb::make_tuple(std::string(choice.info->name), choice.number);
}

}  // namespace

void define_encoder(nb::module_& module) {
  nb::class_<EncoderHandle> encoder(module, "Encoder");
  encoder
      .def(nb::init<const Model&, const std::map<std::string, nb::object>&, const nb::object&>(), nb::arg("model"),
           nb::arg("options"), nb::arg("sample").none())
      .def_prop_ro("tau", &EncoderHandle::tau)
      .def_prop_ro("level", &EncoderHandle::level)
      .def(
          "encode_files",
          [](EncoderHandle& handle, const SourceHandle& source, const std::string& output, bool compressed, bool half) {
            const MatrixFormat dense = half ? MatrixFormat::kNpyHalf : MatrixFormat::kNpy;
            const MatrixFormat sparse = half ? MatrixFormat::kCsrHalf : MatrixFormat::kCsr;
            handle.encode_files(output, compressed ? sparse : dense, *source.source());
          },
          nb::arg("source"), nb::arg("output"), nb::arg("compressed"), nb::arg("half"));
  define_for<float>(module, encoder);
  define_for<double>(module, encoder);
  module.def("mode_table", &mode_list);
  module.def("check_mode", &check_mode, nb::arg("mode"));
}

}  // namespace dualdict::python
