// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job as learning sees them: sums that also carry what went wrong where, so that all ranks end together
// and none waits for one that has left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "core/communicator.h"
#include "dualdict/error.h"

namespace dualdict {

// Where this rank's samples stand among those of all ranks, which follow each other in the order of the ranks.
struct Shard {
  std::vector<std::size_t> starts;  // first sample of each rank, and the total
  std::size_t first = 0;
  std::size_t total = 0;
};

class Ranks {
 public:
  // nullptr: this process alone, for which everything here is free.
  explicit Ranks(Communicator* communicator) : communicator_(communicator != nullptr ? *communicator : alone_) {}
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  bool alone() const { return communicator_.size() == 1; }
  std::size_t rank() const { return communicator_.rank(); }
  std::size_t size() const { return communicator_.size(); }

  // Work of this rank alone: what it throws is kept until the next sum. (One process: it is thrown at once.)
  template <class Work>
  void attempt(const Work& work) {
    if (alone()) return work();
    try {
      work();
    } catch (...) {
      keep(std::current_exception());
    }
  }
  // The same, and the ranks hear of it before they go on.
  template <class Work>
  void together(const Work& work) {
    attempt(work);
    sum({});
  }

  // Each element becomes its sum over the ranks. When one of them has kept an error, all throw: it its own, the others
  // one of the same kind. One message of 8 bytes an element and a few more.
  void sum(std::span<double> values);
  // Each element becomes its maximum over the ranks. Tells of no errors: for numbers that no failure can be behind.
  void max(std::span<double> values) { communicator_.max(values); }
  // Throws on all ranks when they do not all pass the same value; `what` is for the message.
  void require_same(std::uint32_t value, const char* what);

  Shard shard(std::size_t n_samples);
  // Sum modulo 2^64.
  std::uint64_t sum_bits(std::uint64_t value);

  // Before an exception leaves learn(): tells the others unless they threw too.
  void abandon_unless_agreed() noexcept;

 private:
  void keep(std::exception_ptr failure);

  SingleProcess alone_;
  Communicator& communicator_;
  std::exception_ptr failure_;   // kept
  bool agreed_ = false;          // the failure that is on its way out is known to all
  std::vector<double> message_;  // values and status
};

}  // namespace dualdict
