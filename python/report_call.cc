// SPDX-License-Identifier: BSD-3-Clause
#include "report_call.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace dualdict::python {
namespace {

// A record as a callback or a summary shows it. What is not there, as in one made by hand, is 0.
struct EntryReader {
  nb::object entries;

  template <class Value>
  void operator()(const char* name, Value& value) const {
    const nb::object entry = entries.attr("get")(name);
    if (entry.is_none()) return;
    if constexpr (Record<Value>)
      Value::for_each_field(value, EntryReader{entry});
    else
      value = static_cast<Value>(nb::cast<double>(entry));
  }
};

IterationRecord record_of(const nb::handle& entries) {
  IterationRecord record;
  IterationRecord::for_each_field(record, EntryReader{nb::borrow(entries)});
  return record;
}

void write_report(const Model& model, const std::string& path, const nb::object& samples, const nb::list& records,
                  const nb::dict& words, std::size_t n_threads) {
  ReportOptions options;
  options.title = nb::cast<std::string>(words["title"]);
  options.feature_names = nb::cast<std::vector<std::string>>(words["feature_names"]);
  options.sample_names = nb::cast<std::vector<std::string>>(words["sample_names"]);
  options.sample_labels = nb::cast<std::vector<std::string>>(words["sample_labels"]);
  options.n_threads = n_threads;
  for (const nb::handle& record : records) options.trace.push_back(record_of(record));
  std::shared_ptr<const DataSource> source;
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
