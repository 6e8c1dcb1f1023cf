// SPDX-License-Identifier: BSD-3-Clause
// learn(), as Python calls it.
#pragma once

#include <map>
#include <string>

#include "convert.h"

namespace dualdict::python {

// samples, validation: C-contiguous arrays of one dtype; validation may be None. Returns (model, records, raised):
// raised is None, or what ended the fit from Python's side, with the model learned so far (None when there was none).
nb::tuple call_learn(const nb::object& samples, const std::map<std::string, std::string>& options,
                     const nb::dict& others);

}  // namespace dualdict::python
