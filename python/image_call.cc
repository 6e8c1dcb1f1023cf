// SPDX-License-Identifier: BSD-3-Clause
#include "image_call.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <filesystem>

#include "convert.h"
#include "python_caller.h"

namespace dualdict::python {
namespace {

// Rows of pixels, the channels of a pixel beside each other.
Image image_of(const InArray<float>& pixels, std::size_t channels) {
  const MatrixView<const float> rows = view_of(pixels);
  Image image{.pixels = Matrix<float>(rows.rows, rows.cols), .channels = channels};
  for (std::size_t y = 0; y < rows.rows; ++y) std::copy_n(rows.row(y), rows.cols, image.pixels.row(y));
  return image;
}

nb::object pixels_of(const Image& image) {
  return to_numpy(convert<double>(image.pixels), DType::kFloat32);
}

nb::tuple call_denoise(const InArray<float>& pixels, std::size_t channels,
                       const std::map<std::string, nb::object>& options, const nb::object& model) {
  DenoiseOptions wanted;
  wanted.sigma = nb::cast<std::optional<double>>(options.at("sigma"));
  wanted.height = nb::cast<std::size_t>(options.at("height"));
  wanted.width = nb::cast<std::size_t>(options.at("width"));
  wanted.stride = nb::cast<std::size_t>(options.at("stride"));
  wanted.fast = nb::cast<bool>(options.at("fast"));
  wanted.seed = nb::cast<std::uint64_t>(options.at("seed"));
  wanted.n_threads = nb::cast<std::size_t>(options.at("n_threads"));
  if (!model.is_none()) wanted.model = &nb::cast<const Model&>(model);
  const Image noisy = image_of(pixels, channels);
  Denoised result;
  PythonCaller python;
  wanted.interrupt = &python.interrupt();
  python.run([&] {
    try {
      result = denoise(noisy, wanted);
    } catch (const Error&) {
      if (!python.interrupt()) throw;
    }
  });
  if (!python.raised().is_none()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(python.raised().ptr())), python.raised().ptr());
    throw nb::python_error();
  }
  return nb::make_tuple(pixels_of(result.image), result.sigma);
}

nb::tuple call_read_image(const std::filesystem::path& path, bool grey) {
  const Image image = read_image(path.string(), grey ? ImageColor::kGrey : ImageColor::kAsStored);
  return nb::make_tuple(pixels_of(image), image.channels);
}

}  // namespace

void define_images(nb::module_& module) {
  module.def("denoise", &call_denoise, nb::arg("pixels").noconvert(), nb::arg("channels"), nb::arg("options"),
             nb::arg("model").none());
  module.def(
      "estimate_noise",
      [](const InArray<float>& pixels, std::size_t channels) { return estimate_noise(image_of(pixels, channels)); },
      nb::arg("pixels").noconvert(), nb::arg("channels"));
  module.def("read_image", &call_read_image, nb::arg("path"), nb::arg("grey"));
}

}  // namespace dualdict::python
