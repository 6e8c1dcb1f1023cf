// SPDX-License-Identifier: BSD-3-Clause
#include "exchange_call.h"

#include <nanobind/stl/string.h>

#include "source_handle.h"

namespace dualdict::python {
namespace {

nb::dict audit_samples(const Model& model, const nb::object& samples, const std::string& mode, std::size_t most,
                       std::size_t n_threads) {
  const std::shared_ptr<const DataSource> source = source_of(samples);
  Audit result;
  {
    const nb::gil_scoped_release release;
    result = audit(model, *source, {.mode = mode, .most_samples = most, .n_threads = n_threads});
  }
  nb::dict entries = to_dict(result);
  nb::list rows;
  for (const AuditRow& row : result.rows) rows.append(to_dict(row));
  entries["rows"] = rows;
  return entries;
}

nb::dict compare_models(const Model& first, const Model& second, std::size_t n_threads) {
  Comparison result;
  {
    const nb::gil_scoped_release release;
    result = compare(first, second, n_threads);
  }
  nb::dict entries = to_dict(result);
  nb::list pairs;
  for (const std::size_t partner : result.dictionary.pairs)
    pairs.append(partner < second.n_atoms() ? static_cast<std::ptrdiff_t>(partner) : -1);
  entries["pairs"] = pairs;
  return entries;
}

nb::list format_list() {
  nb::list names;
  for (const ForeignFormat& format : foreign_formats()) names.append(std::string(format.name));
  return names;
}

}  // namespace

void define_exchange(nb::module_& module) {
  module.def("load_any", &load_any, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "export_model",
      [](const Model& model, const std::string& path, const std::string& format, const std::string& mode,
         bool split_signs) { export_model(model, path, format, {.mode = mode, .split_signs = split_signs}); },
      nb::arg("model"), nb::arg("path"), nb::arg("format"), nb::arg("mode"), nb::arg("split_signs"),
      nb::call_guard<nb::gil_scoped_release>());
  module.def("foreign_formats", &format_list);
  module.def("audit", &audit_samples, nb::arg("model"), nb::arg("samples"), nb::arg("mode"), nb::arg("most"),
             nb::arg("n_threads"));
  module.def("compare", &compare_models, nb::arg("first"), nb::arg("second"), nb::arg("n_threads"));
}

}  // namespace dualdict::python
