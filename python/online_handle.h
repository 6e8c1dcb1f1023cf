// SPDX-License-Identifier: BSD-3-Clause
// The class _core.OnlineLearner, behind partial_fit.
#pragma once

#include "convert.h"

namespace dualdict::python {

void define_online(nb::module_& module);

}  // namespace dualdict::python
