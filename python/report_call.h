// SPDX-License-Identifier: BSD-3-Clause
// The report page from Python.
#pragma once

#include "convert.h"

namespace dualdict::python {

// Adds report_html to the module.
void define_report(nb::module_& module);

}  // namespace dualdict::python
