// SPDX-License-Identifier: BSD-3-Clause
// Files of others, audits and comparisons.
#pragma once

#include "convert.h"

namespace dualdict::python {

void define_exchange(nb::module_& module);

}  // namespace dualdict::python
