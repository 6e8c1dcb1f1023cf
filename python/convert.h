// SPDX-License-Identifier: BSD-3-Clause
// Between the library's types and Python's.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <map>
#include <memory>
#include <string>

#include "dualdict/dualdict.h"

namespace dualdict::python {

namespace nb = nanobind;

// Arrays as Python hands them over: C-contiguous, never copied, read-only ones too.
template <class T>
using InArray = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutArray = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
MatrixView<const T> view_of(const InArray<T>& array) {
  return MatrixView<const T>(array.data(), array.shape(0), array.shape(1));
}
template <class T>
MatrixView<T> view_of(const OutArray<T>& array) {
  return MatrixView<T>(array.data(), array.shape(0), array.shape(1));
}

// A NumPy array of its own, in the given precision.
nb::object to_numpy(const Matrix<double>& matrix, DType dtype);
nb::object to_numpy(const std::vector<double>& values, DType dtype);
// A C-contiguous array of either precision as a source, whose elements are not copied; or a Source (source_handle.h).
std::shared_ptr<const DataSource> source_of(const nb::object& samples);
// From the entries scale, unit_norm, center_samples, center_features.
PreprocessOptions preprocess_of(const nb::dict& entries);
// An empty matrix for None.
Matrix<double> to_matrix(const nb::object& array);

// Any record of the library.
template <Record Type>
nb::dict to_dict(const Type& record) {
  return as_map(record, [] { return nb::dict(); });
}

// The option table as a list of dicts: name, python_name, symbol, help, group, rule, default, required.
nb::list option_list();
// Sets the options given as {Python name: text}; the rest keep their defaults.
LearnOptions to_options(const std::map<std::string, std::string>& texts);

// The options of a message by their Python names: "--rtol: 2 is ..." becomes "tol: 2 is ...".
std::string in_python_words(const std::string& message);
// dualdict::Error becomes ValueError, OSError, MemoryError or FloatingPointError.
void register_errors();

}  // namespace dualdict::python
