// SPDX-License-Identifier: BSD-3-Clause
#include "source_handle.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace dualdict::python {

SourceHandle::SourceHandle(const std::vector<std::string>& paths, const nb::object& patches) {
  DataOptions options;
  if (!patches.is_none()) {
    const auto numbers = nb::cast<std::vector<std::size_t>>(patches);
    options.patches = PatchOptions{numbers.at(0), numbers.at(1), numbers.at(2), numbers.at(3), numbers.at(4)};
    if (numbers.at(5) == 1) options.patches->color = ImageColor::kGrey;
    if (numbers.at(5) == 3) options.patches->color = ImageColor::kRgb;
  }
  const nb::gil_scoped_release release;
  source_ = open_data(paths, options);
}

nb::object SourceHandle::spread(std::size_t n) const {
  n = std::min(n, source_->n_samples());
  Matrix<double> rows(n, source_->n_features());
  for (std::size_t i = 0; i < n; ++i) source_->read(i * source_->n_samples() / n, rows.view().row_range(i, 1));
  return to_numpy(rows, DType::kFloat64);
}

std::shared_ptr<const DataSource> source_of(const nb::object& samples) {
  if (nb::isinstance<SourceHandle>(samples)) return nb::cast<const SourceHandle&>(samples).source();
  InArray<float> single;
  if (nb::try_cast(samples, single, false)) return make_source(view_of(single));
  return make_source(view_of(nb::cast<InArray<double>>(samples, false)));
}

void define_source(nb::module_& module) {
  nb::class_<SourceHandle>(module, "Source")
      .def(nb::init<const std::vector<std::string>&, const nb::object&>(), nb::arg("paths"), nb::arg("patches").none())
      .def_prop_ro("n_features", [](const SourceHandle& handle) { return handle.source()->n_features(); })
      .def_prop_ro("n_samples", [](const SourceHandle& handle) { return handle.source()->n_samples(); })
      .def("spread", &SourceHandle::spread, nb::arg("n"));
}

}  // namespace dualdict::python
