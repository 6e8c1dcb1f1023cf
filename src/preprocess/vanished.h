// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dualdict/data.h"
#include "dualdict/preprocess.h"

namespace dualdict {

// For samples that are all zero, or so small that their squares are, after preprocessing. Throws Error(kInput) unless
// they are really zero: read again in double, without a value that the precision or the scale has made vanish.
void require_zero(const DataSource& data, const Transform& transform);

}  // namespace dualdict
