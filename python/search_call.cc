// SPDX-License-Identifier: BSD-3-Clause
#include "search_call.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python_caller.h"
#include "source_handle.h"

namespace dualdict::python {
namespace {

// Ctrl-C is heard: what was at `path` before then stays.
void index_rows(const Model& model, const nb::object& rows, const std::string& path, const nb::dict& options) {
  IndexOptions wanted;
  wanted.mode = nb::cast<std::string>(options["mode"]);
  wanted.nonzeros = nb::cast<std::optional<double>>(options["nonzeros"]);
  wanted.decoded = nb::cast<bool>(options["decoded"]);
  wanted.n_threads = nb::cast<std::size_t>(options["n_threads"]);
  wanted.names = nb::cast<std::vector<std::string>>(options["names"]);
  wanted.append = nb::cast<bool>(options["append"]);
  const std::shared_ptr<const DataSource> source = source_of(rows);
  PythonCaller python;
  wanted.interrupt = &python.interrupt();
  python.run([&] {
    const OutputLock lock(path);
    build_index(model, *source, path, wanted);
  });
  if (python.raised().is_none()) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(python.raised().ptr())), python.raised().ptr());
  throw nb::python_error();
}

nb::dict hit_dict(const Hit& hit, bool named) {
  nb::dict entry;
  entry["row"] = hit.row;
  entry["score"] = hit.score;
  if (named)
    entry["name"] =
        nb::steal(PyUnicode_DecodeUTF8(hit.name.data(), static_cast<Py_ssize_t>(hit.name.size()), "replace"));
  nb::list atoms;
  for (const SharedAtom& shared : hit.shared) {
    nb::dict atom;
    atom["atom"] = shared.atom;
    atom["query"] = shared.query;
    atom["row"] = shared.row;
    atoms.append(atom);
  }
  entry["atoms"] = atoms;
  return entry;
}

nb::list search_rows(const Searcher& searcher, const InArray<float>& queries, const std::string& score,
                     std::size_t n_hits, const nb::dict& sizes) {
  SearchOptions options;
  options.score = parse_score(score);
  options.n_hits = n_hits;
  options.rerank = nb::cast<std::size_t>(sizes["rerank"]);
  options.query_atoms = nb::cast<std::size_t>(sizes["query_atoms"]);
  std::vector<std::vector<Hit>> found;
  {
    const nb::gil_scoped_release release;
    found = searcher.search(view_of(queries), options);
  }
  nb::list all;
  for (const std::vector<Hit>& hits : found) {
    nb::list list;
    for (const Hit& hit : hits) list.append(hit_dict(hit, searcher.info().named));
    all.append(list);
  }
  return all;
}

}  // namespace

void define_search(nb::module_& module) {
  module.def("build_index", &index_rows, nb::arg("model"), nb::arg("rows"), nb::arg("path"), nb::arg("options"));
  nb::class_<Searcher>(module, "Searcher")
      .def(nb::init<const Model&, const std::string&, std::size_t>(), nb::arg("model"), nb::arg("path"),
           nb::arg("n_threads"))
      .def("info", [](const Searcher& searcher) { return to_dict(searcher.info()); })
      .def("search", &search_rows, nb::arg("queries").noconvert(), nb::arg("score"), nb::arg("n_hits"),
           nb::arg("sizes"));
}

}  // namespace dualdict::python
