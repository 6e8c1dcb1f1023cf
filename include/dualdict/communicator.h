// SPDX-License-Identifier: BSD-3-Clause
// How several processes (ranks) that hold parts of the samples agree: they sum. The default is one process;
// dualdict/mpi.h makes a communicator of the processes that mpirun started.
#pragma once

#include <cstddef>
#include <span>

#include "dualdict/export.h"

namespace dualdict {

// All ranks call sum() and max() in the same order with the same number of values. Used from one thread at a time.
class DUALDICT_API Communicator {
 public:
  virtual ~Communicator() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // Each element becomes its sum over the ranks, the same bits on every rank and, for the same number of ranks, in
  // every run. Throws Error(kRank) when a rank is gone.
  virtual void sum(std::span<double> values) = 0;
  // Each element becomes its maximum over the ranks.
  virtual void max(std::span<double> values) = 0;
  // This rank cannot go on and had no chance to tell: what the others wait for, now or next, throws Error(kRank), or
  // the whole job ends. Exit code of the job, where there is one: `exit_code`.
  virtual void abandon(int exit_code) noexcept = 0;
};

}  // namespace dualdict
