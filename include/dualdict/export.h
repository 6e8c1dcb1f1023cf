// SPDX-License-Identifier: BSD-3-Clause
// Which symbols the shared library shows. Everything else in it is hidden.
#pragma once

#define DUALDICT_API __attribute__((visibility("default")))
