// SPDX-License-Identifier: BSD-3-Clause
#include "report_call.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace dualdict::python {
namespace {

// A record as a callback or a summary shows it. What is not there, as in one made by hand, is 0.
IterationRecord record_of(const nb::handle& entries) {
  const auto number = [](const nb::handle& of, const char* name) {
    const nb::object value = of.attr("get")(name, 0.0);
    return value.is_none() ? 0.0 : nb::cast<double>(value);
  };
  const auto count = [&](const char* name) { return static_cast<std::size_t>(number(entries, name)); };
  const nb::object energy = entries["energy"];
  IterationRecord record;
  record.iteration = count("iteration");
  record.seconds = number(entries, "seconds");
  record.energy = {.reconstruction = number(energy, "reconstruction"),
                   .coding = number(energy, "coding"),
                   .l1 = number(energy, "l1"),
                   .l2 = number(energy, "l2")};
  record.nonzeros_per_code = number(entries, "nonzeros_per_code");
  record.dead_atoms = count("dead_atoms");
  record.replaced_atoms = count("replaced_atoms");
  record.duality_gap = number(entries, "duality_gap");
  record.dictionary_change = number(entries, "dictionary_change");
  record.dual_change = number(entries, "dual_change");
  return record;
}

void write_report(const Model& model, const std::string& path, const nb::object& samples, const nb::list& records,
                  const nb::dict& words, std::size_t n_threads) {
  ReportOptions options;
  options.title = nb::cast<std::string>(words["title"]);
  options.feature_names = nb::cast<std::vector<std::string>>(words["feature_names"]);
  options.sample_names = nb::cast<std::vector<std::string>>(words["sample_names"]);
  options.n_threads = n_threads;
  for (const nb::handle& record : records) options.trace.push_back(record_of(record));
  std::unique_ptr<DataSource> source;
  if (!samples.is_none()) source = source_of(samples);
  options.data = source.get();
  const nb::gil_scoped_release release;
  write_text_file(path, report_html(model, options));
}

}  // namespace

void define_report(nb::module_& module) {
  module.def("report_available", &report_available);
  module.def("write_report", &write_report, nb::arg("model"), nb::arg("path"), nb::arg("samples").none(),
             nb::arg("records"), nb::arg("words"), nb::arg("n_threads"));
}

}  // namespace dualdict::python
