// SPDX-License-Identifier: BSD-3-Clause
// Where learning starts when the caller gives no dictionary.
#pragma once

#include "core/random.h"
#include "dualdict/matrix.h"
#include "learn/samples.h"

namespace dualdict {

// K distinct non-zero random samples of unit norm. When there are fewer, the rest are random mixtures of samples, and
// random directions when every sample is zero. With `positive`, absolute values.
template <class T>
Matrix<double> initial_dictionary(const Samples<T>& samples, std::size_t n_atoms, bool positive, Random& random);

// Rounds the elements to T's precision and keeps every row within the ball under that rounding, so that the numbers
// used are the numbers saved.
template <class T>
void round_rows_to_ball(Matrix<double>& rows);

}  // namespace dualdict
