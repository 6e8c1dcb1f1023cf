// SPDX-License-Identifier: BSD-3-Clause
// From what the caller asked for to what the mode needs: checks, defaults, and the tau for a number of nonzeros.
#pragma once

#include "dualdict/encode.h"
#include "model/modes/mode.h"

namespace dualdict {

// The default mode of the model where none is given.
EncodeOptions with_mode(const Model& model, EncodeOptions options);

// `options.mode` is given. Throws Error(kUsage) for options that break a rule, or that the mode does not take.
ModeSettings resolve_settings(const Model& model, const EncodeOptions& options, const DataSource* sample);

// How far the thresholds of a fitted encoder must move, in units of tau, for its codes to have `wanted` nonzeros on
// average over the samples of the fit. Throws Error(kUsage) when no threshold gives so many.
double shift_for_nonzeros(const FittedEncoder& fitted, double tau, double wanted);

}  // namespace dualdict
