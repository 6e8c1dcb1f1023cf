// SPDX-License-Identifier: BSD-3-Clause
// How several processes that hold parts of the samples agree: they sum. The default is one process, and learn() takes
// no more so far.
#pragma once

#include <cstddef>
#include <span>

#include "dualdict/export.h"

namespace dualdict {

class DUALDICT_API Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // Each element becomes its sum over the ranks, the same bits on every rank.
  virtual void sum(std::span<double> values) = 0;
  // Each element becomes its maximum over the ranks.
  virtual void max(std::span<double> values) = 0;
};

}  // namespace dualdict
