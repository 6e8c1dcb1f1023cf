// SPDX-License-Identifier: BSD-3-Clause
#include "capi/guard.h"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>

struct dualdict_error {
  dualdict_status status;
  std::string message;
};

namespace dualdict::capi {
namespace {

dualdict_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return DUALDICT_BAD_USAGE;
    case ErrorKind::kInput:
      return DUALDICT_BAD_INPUT;
    case ErrorKind::kNumerical:
      return DUALDICT_BAD_NUMBERS;
    case ErrorKind::kWrite:
      return DUALDICT_WRITE_FAILED;
    case ErrorKind::kMemory:
      return DUALDICT_OUT_OF_MEMORY;
    case ErrorKind::kRank:
      return DUALDICT_RANK_LOST;
  }
  return DUALDICT_UNEXPECTED;
}

// Made when the library is loaded: there may be no memory for one later.
dualdict_error& out_of_memory() {
  static dualdict_error error{DUALDICT_OUT_OF_MEMORY, "not enough memory"};
  return error;
}
[[maybe_unused]] const dualdict_error& made_early = out_of_memory();

dualdict_status give(dualdict_error** error, dualdict_status status, const char* message) noexcept {
  if (error == nullptr) return status;
  try {
    *error = new dualdict_error{status, message};
  } catch (...) {
    *error = &out_of_memory();
  }
  return (*error)->status;
}

}  // namespace

dualdict_status report_exception(dualdict_error** error) noexcept {
  try {
    throw;
  } catch (const Error& caught) {
    return give(error, status_of(caught.kind()), caught.what());
  } catch (const std::bad_alloc&) {
    return give(error, DUALDICT_OUT_OF_MEMORY, "not enough memory");
  } catch (const std::length_error&) {  // more elements than any memory holds
    return give(error, DUALDICT_OUT_OF_MEMORY, "not enough memory");
  } catch (const std::exception& caught) {
    return give(error, DUALDICT_UNEXPECTED, caught.what());
  } catch (...) {
    return give(error, DUALDICT_UNEXPECTED, "an exception that is none of the library's, as of a callback");
  }
}

char* new_text(const std::string& text) {
  char* copy = new char[text.size() + 1];
  *std::copy(text.begin(), text.end(), copy) = '\0';
  return copy;
}

}  // namespace dualdict::capi

const char* dualdict_version(void) {
  return DUALDICT_VERSION;
}

const char* dualdict_error_message(const dualdict_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}

dualdict_status dualdict_error_status(const dualdict_error* error) {
  return error == nullptr ? DUALDICT_OK : error->status;
}

void dualdict_error_free(dualdict_error* error) {
  if (error != &dualdict::capi::out_of_memory()) delete error;
}

void dualdict_text_free(char* text) {
  delete[] text;
}
