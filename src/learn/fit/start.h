// SPDX-License-Identifier: BSD-3-Clause
// Where a fit begins: the first D and C, the first tau.
#pragma once

#include <string>

#include "core/random.h"
#include "core/watched_pool.h"
#include "dualdict/options.h"
#include "learn/fit/state.h"
#include "learn/samples/samples.h"

namespace dualdict {

Objective objective_of(const LearnOptions& options, std::size_t n_features);

// Everything of the right shape and zero.
template <class T>
FitState empty_state(const LearnOptions& options, std::size_t n_features);

// Whether these samples are all there are, or the first of a stream.
enum class StartFrom { kAllSamples, kFirstSamples };

// D and C as given, or by default D from samples and C = D'; tau; E, for which |X|^2 (with eta > 0 XX' too) are in the
// moments. Returns what to tell of it. Throws Interrupted on the caller's wish.
template <class T>
std::string start_fit(FitState& state, const LearnOptions& options, const Samples<T>& samples, StartFrom from,
                      const WatchedPool& work);

// K distinct non-zero random samples of unit norm. When there are fewer, the rest are random mixtures of samples, or of
// the first samples of a stream, which are all alike, random directions for the samples to come to shape or replace;
// random directions too when every sample is zero. All in the set.
template <class T>
Matrix<double> initial_dictionary(const Samples<T>& samples, std::size_t n_atoms, const AtomSet& set, StartFrom from,
                                  Random& random);

// Rounds the elements to T's precision and keeps every row within the ball under that rounding, so that the numbers
// used are the numbers saved.
template <class T>
void round_rows_to_ball(Matrix<double>& rows);

}  // namespace dualdict
