// SPDX-License-Identifier: BSD-3-Clause
// The one message of an outer iteration between ranks: the sums of the code step, and what has to be decided together.
#pragma once

#include "learn/ranks/ranks.h"
#include "learn/samples/code_pass.h"
#include "solvers/objective.h"

namespace dualdict {

// What a rank wishes, or what all have agreed on.
struct Wishes {
  double seconds = 0;      // since the start, by the clock of rank 0
  bool interrupt = false;  // a signal came, on any rank
  bool stop = false;       // a callback wishes to stop, on any rank
};

// `pass` and the moments of the codes become their sums over the ranks (max_kkt excepted), in one sum of
// 8 (K (K + 1) / 2 + d K + K + 13) bytes and the status of Ranks::sum; nothing in it grows with the samples. D and C
// must be the same on all ranks; throws Error(kNumerical) when they have come apart.
Wishes sum_pass(Ranks& ranks, const Matrix<double>& dictionary, const Matrix<double>& dual, const Wishes& mine,
                PassReport& pass, Moments& moments);

}  // namespace dualdict
