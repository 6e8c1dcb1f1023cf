// SPDX-License-Identifier: BSD-3-Clause
// The border to C: exceptions become a status and an error object, NULL becomes an error.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "dualdict.h"
#include "dualdict/error.h"
#include "dualdict/matrix.h"

namespace dualdict::capi {

// Called within a catch block: turns the exception into a status, and into an object where one is wanted.
dualdict_status report_exception(dualdict_error** error) noexcept;

// Runs the body of a function of the C interface.
template <class Body>
dualdict_status guarded(dualdict_error** error, const Body& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    body();
    return DUALDICT_OK;
  } catch (...) {
    return report_exception(error);
  }
}

// The thing behind a pointer that must not be NULL; `name` is the parameter's.
template <class Thing>
Thing& require(Thing* thing, const char* name) {
  if (thing == nullptr) throw Error(ErrorKind::kUsage, std::string(name) + ": is NULL; it must point to something");
  return *thing;
}

// Fills in what a caller hands out, which is NULL when making it fails.
template <class Thing, class Make>
void hand_out(Thing** result, const char* name, const Make& make) {
  require(result, name) = nullptr;
  *result = make();
}

// A matrix of a caller. One without rows may be NULL.
template <class T>
MatrixView<T> view_of(T* elements, std::size_t rows, std::size_t cols, const char* name) {
  if (cols != 0 && rows > static_cast<std::size_t>(-1) / sizeof(T) / cols)
    throw Error(ErrorKind::kUsage, std::string(name) + ": " + std::to_string(rows) + " x " + std::to_string(cols) +
                                       " numbers are more than any memory holds");
  if (rows != 0 && cols != 0) require(elements, name);
  return MatrixView<T>(elements, rows, cols);
}

// A struct of a caller, who may know fewer fields than this library or more: fields that he does not know keep their
// defaults. The struct's first field is its size.
template <class Struct>
Struct read_struct(const Struct* from, const Struct& defaults, const char* name) {
  if (from == nullptr) return defaults;
  if (from->struct_size < sizeof(from->struct_size))
    throw Error(ErrorKind::kUsage, std::string(name) + ".struct_size: " + std::to_string(from->struct_size) +
                                       " is not allowed: the size of the struct; start from its INIT macro");
  Struct result = defaults;
  const std::size_t n = from->struct_size < sizeof(Struct) ? from->struct_size : sizeof(Struct);
  std::char_traits<char>::copy(reinterpret_cast<char*>(&result), reinterpret_cast<const char*>(from), n);
  return result;
}

// Copies for a caller, with a zero at the end; dualdict_text_free frees it.
char* new_text(const std::string& text);

}  // namespace dualdict::capi
