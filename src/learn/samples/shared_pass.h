// SPDX-License-Identifier: BSD-3-Clause
// The one message of an outer iteration between ranks: the sums of the code step, and what has to be decided together.
#pragma once

#include <span>
#include <vector>

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

// The sums of a pass as one row of numbers that may be added element by element, and back; max_kkt and strongest_pull
// are no sums and not among them. The shapes of the moments and of pass.usage are given. The order is the message's.
std::vector<double> sums_of_pass(const PassReport& pass, const Moments& moments);
void set_sums_of_pass(std::span<const double> sums, PassReport& pass, Moments& moments);

// `pass` and the moments of the codes become their sums over the ranks (max_kkt excepted), in one sum of
// 8 (K (K + 1) / 2 + d K + K + 13) bytes and the status of Ranks::sum; nothing in it grows with the samples. D and C
// must be the same on all ranks; throws Error(kNumerical) when they have come apart.
Wishes sum_pass(Ranks& ranks, const Matrix<double>& dictionary, const Matrix<double>& dual, const Wishes& mine,
                PassReport& pass, Moments& moments);

}  // namespace dualdict
