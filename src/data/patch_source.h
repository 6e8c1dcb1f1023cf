// SPDX-License-Identifier: BSD-3-Clause
// Samples cut out of images at random positions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dualdict/data.h"

namespace dualdict {

std::unique_ptr<DataSource> open_patches(const std::vector<std::string>& paths, const PatchOptions& options);

}  // namespace dualdict
