// SPDX-License-Identifier: BSD-3-Clause
// The processes that mpirun or srun started together, of which this is one; without them, this process alone.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "dualdict/communicator.h"

namespace dualdict::cli {

// How many processes a launcher of MPI has started, by what it put into the environment; 1 without one.
std::size_t launched_ranks();

class Job {
 public:
  // Loads the MPI part when there is more than one rank; throws Error(kUsage) when it is not installed.
  Job();

  std::size_t rank() const { return communicator_ ? communicator_->rank() : 0; }
  std::size_t size() const { return communicator_ ? communicator_->size() : 1; }
  // The rank that reports and writes.
  bool is_first() const { return rank() == 0; }
  // nullptr when this process is alone.
  Communicator* communicator() const { return communicator_.get(); }

  // Runs the work; when it throws on any rank, all throw: that one its own error, the others OtherRankFailed.
  void together(const std::function<void()>& work) const;

 private:
  std::unique_ptr<Communicator> communicator_;
};

}  // namespace dualdict::cli
