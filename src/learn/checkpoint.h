// SPDX-License-Identifier: BSD-3-Clause
// The checkpoint of a fit: when it is written, what run it belongs to, and going on from it.
#pragma once

#include <map>
#include <string>

#include "dualdict/learn.h"
#include "io/tensors/safetensors.h"
#include "learn/ranks.h"
#include "learn/samples.h"
#include "learn/state.h"

namespace dualdict {

// After an interrupt an iteration may take this long to end, so that its work is kept.
inline constexpr double kPatienceSeconds = 3;

// What must be the same for a run to go on bit for bit; the names are for messages.
using RunIdentity = std::map<std::string, std::string>;

// With several ranks rank 0 writes the file, and every rank the codes of its samples beside it (code_parts.h).
class Checkpoint {
 public:
  // With resume, reads the file if it is there and refuses one of other options; without, refuses one that is there.
  Checkpoint(const CheckpointOptions& options, RunIdentity identity, Ranks& ranks);

  bool is_on() const { return !options_.path.empty(); }
  // Whether there is a state to go on from.
  bool was_read() const { return !file_.tensors.empty(); }
  // A sentence on where the state came from.
  std::string origin() const;
  // The samples are known only once they are read; throws Error(kInput) when the file belongs to others.
  void set_samples(std::size_t n_samples, const std::string& fingerprint);
  // Puts the state of the file, once, in place of the learner's.
  template <class T>
  void restore(LearnState<T>& state, const Samples<T>& samples);

  // Whether the end of this iteration, `seconds` after the start, is the time to write.
  bool is_due(double seconds);
  template <class T>
  void write(const LearnState<T>& state, const Samples<T>& samples);

 private:
  void open();

  Ranks& ranks_;
  CheckpointOptions options_;
  RunIdentity identity_;
  TensorFile file_;             // what was read
  std::size_t generation_ = 0;  // of the codes beside the file
  bool had_parts_ = false;      // there are such
  double last_write_ = 0;       // in seconds since the start
  double last_iteration_ = 0;   // when it ended
};

RunIdentity identity_of(const DataSource& data, const LearnOptions& options, const PreprocessOptions& preprocess);

}  // namespace dualdict
