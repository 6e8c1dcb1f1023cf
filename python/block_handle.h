// SPDX-License-Identifier: BSD-3-Clause
// Learning where others hold the samples, as Python sees it.
#pragma once

#include "convert.h"

namespace dualdict::python {

void define_blocks(nb::module_& module);

}  // namespace dualdict::python
