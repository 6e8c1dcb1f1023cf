// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

#include "dualdict/export.h"

namespace dualdict {

// What kind of mistake or fault it was. The command turns each into its exit code.
enum class ErrorKind {
  kUsage,      // an option or argument breaks its rule
  kInput,      // a file or matrix cannot be used: missing, damaged, NaN, wrong shape
  kNumerical,  // a computation left the range of its numbers
  kWrite,      // a result could not be written
  kMemory,     // not enough memory
  kRank,       // another process of the job is gone
};

// Thrown for a caller's mistake or a fault outside the library. The message names the thing (file, option), its value
// and the rule it broke. How a fit ended is not an error: it is data in LearnSummary.
class DUALDICT_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

// On a rank whose work went well, when another rank failed: that one has the message.
class DUALDICT_API OtherRankFailed final : public Error {
 public:
  explicit OtherRankFailed(ErrorKind kind) : Error(kind, "another rank failed, whose message says why") {}
};

}  // namespace dualdict
