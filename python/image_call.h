// SPDX-License-Identifier: BSD-3-Clause
// Images as arrays.
#pragma once

#include <nanobind/nanobind.h>

namespace dualdict::python {

void define_images(nanobind::module_& module);

}  // namespace dualdict::python
