// SPDX-License-Identifier: BSD-3-Clause
#include "core/communicator.h"

namespace dualdict {

void SingleProcess::sum(std::span<double>) {}
void SingleProcess::max(std::span<double>) {}
void SingleProcess::abandon(int) noexcept {}

}  // namespace dualdict
