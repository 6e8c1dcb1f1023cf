// SPDX-License-Identifier: BSD-3-Clause
// How many samples the end of a fit works with.
#pragma once

#include <algorithm>
#include <cstddef>

namespace dualdict {

// To fit the encoders on: fewer when they are wide, for what the fit keeps of each.
inline constexpr std::size_t fit_samples(std::size_t n_features) {
  constexpr std::size_t kMost = 8000, kFewest = 64, kElements = std::size_t{1} << 24;
  return std::clamp(kElements / std::max<std::size_t>(n_features, 1), kFewest, kMost);
}
// Of fewer samples none are held out: the modes are measured on those that they were fitted to.
inline constexpr std::size_t kFewestToHoldOut = 100;
inline constexpr std::size_t kHasteDivisor = 8;  // fewer after an interrupt
// How long the encoders may go on after an interrupt; with few atoms that is enough for all of them. What is not ready
// by then is left out of the model.
inline constexpr double kEncoderPatience = 1.5;

// To measure them on. What a sample costs grows with the atoms, and so does the number of codes that its errors
// average.
inline constexpr std::size_t measure_samples(std::size_t n_atoms, std::size_t n_features) {
  constexpr std::size_t kMost = 3000, kFewest = 500, kCodes = 3000 * 1000;
  return std::min(std::clamp(kCodes / std::max<std::size_t>(n_atoms, 1), kFewest, kMost), fit_samples(n_features));
}

}  // namespace dualdict
