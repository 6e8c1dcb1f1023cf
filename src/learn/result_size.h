// SPDX-License-Identifier: BSD-3-Clause
// How many samples the end of a fit works with.
#pragma once

#include <cstddef>

namespace dualdict {

inline constexpr std::size_t kFitSamples = 8000;      // to fit the encoders on
inline constexpr std::size_t kMeasureSamples = 3000;  // to measure them on
inline constexpr std::size_t kHasteDivisor = 8;       // fewer of both after an interrupt
// How long the encoders may go on after an interrupt; with few atoms that is enough for all of them. What is not ready
// by then is left out of the model.
inline constexpr double kEncoderPatience = 1.5;

}  // namespace dualdict
