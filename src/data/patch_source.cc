// SPDX-License-Identifier: BSD-3-Clause
#include "data/patch_source.h"

#include "dualdict/error.h"

namespace dualdict {

std::unique_ptr<DataSource> open_patches(const std::vector<std::string>& paths, const PatchOptions&) {
  throw Error(ErrorKind::kInput, (paths.empty() ? std::string("patches") : paths.front()) + ": images are not read");
}

}  // namespace dualdict
