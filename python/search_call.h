// SPDX-License-Identifier: BSD-3-Clause
// Indices of codes, and search in them.
#pragma once

#include "convert.h"

namespace dualdict::python {

void define_search(nb::module_& module);

}  // namespace dualdict::python
