// SPDX-License-Identifier: BSD-3-Clause
// What a summary keeps of the options that were given.
#pragma once

#include "dualdict/options.h"

namespace dualdict {

// A start that was given would be kept twice: in the summary and, moved on, in the model.
inline LearnOptions without_matrices(LearnOptions options) {
  options.initial_dictionary = Matrix<double>();
  options.initial_dual = Matrix<double>();
  return options;
}

}  // namespace dualdict
