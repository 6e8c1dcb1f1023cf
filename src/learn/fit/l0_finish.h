// SPDX-License-Identifier: BSD-3-Clause
// The end of a fit with penalty l0: the encoders of its model, and what they measure.
#pragma once

#include "dualdict/model.h"
#include "learn/fit/l0_learning.h"

namespace dualdict {

// Makes the state one that can be used, wherever it stood: samples are less its offset, atoms have length one, the
// price is that of the wanted count on samples held out. Sets penalty, D, C, offset and encoders of the parts. All
// ranks call this together; `hasty` sets levels on fewer samples.
template <class T>
void settle_l0(FitState& state, L0Learning<T>& learning, bool hasty, ModelParts& parts);

// What encoders are measured with: samples learned from, and up to so many held out; as the model sees them.
template <class T>
struct L0Measured {
  Matrix<T> learned, held_out;
};
template <class T>
L0Measured<T> l0_measured(const FitState& state, const Samples<T>& samples, std::size_t n_learned,
                          std::size_t n_held_out);

}  // namespace dualdict
