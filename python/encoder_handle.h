// SPDX-License-Identifier: BSD-3-Clause
// Encoding, decoding and the table of modes.
#pragma once

#include "convert.h"

namespace dualdict::python {

// Adds the class Encoder and the functions decode, mode_table and check_mode.
void define_encoder(nb::module_& module);

}  // namespace dualdict::python
