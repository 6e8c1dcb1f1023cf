// SPDX-License-Identifier: BSD-3-Clause
// What the table of modes says against a model.
#pragma once

#include <string>

#include "dualdict/model.h"

namespace dualdict {

// In words, with the options that would help, when the best of the sparse modes leaves more of the samples than
// principal components with as many nonzeros and one hard threshold; "" when it does not. `coding_weight` is that of
// learning.
std::string advice_on(const EncodingTable& table, std::size_t n_atoms, std::size_t n_features, double coding_weight);

}  // namespace dualdict
