// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the page when the build could not make it.
#include "report/page_template.h"

namespace dualdict {

std::string_view page_template() {
  return {};
}

}  // namespace dualdict
