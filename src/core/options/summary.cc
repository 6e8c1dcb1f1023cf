// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/summary.h"

namespace dualdict {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kConverged:
      return "CONVERGED";
    case Outcome::kIterationLimit:
      return "ITERATION_LIMIT";
    case Outcome::kTimeLimit:
      return "TIME_LIMIT";
    case Outcome::kStopped:
      return "STOPPED";
    case Outcome::kInterrupted:
      return "INTERRUPTED";
    case Outcome::kTrivial:
      return "TRIVIAL";
    case Outcome::kNumericalFailure:
      return "NUMERICAL_FAILURE";
  }
  return "UNKNOWN";
}

}  // namespace dualdict
