// SPDX-License-Identifier: BSD-3-Clause
// The checkpoint of a fit: when it is written, what run it belongs to, and going on from it.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "dualdict/learn.h"
#include "io/tensors/safetensors.h"
#include "learn/fit/control.h"
#include "learn/fit/state.h"
#include "learn/ranks/ranks.h"
#include "learn/samples/code_store.h"
#include "learn/samples/samples.h"

namespace dualdict {

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
  // The samples are known only once they are read; throws Error(kInput) when the file belongs to others. Of a stream
  // only what is known of it before it is read.
  void set_samples(std::size_t n_samples, const std::string& fingerprint);
  // Puts the state of the file, once, in place of an empty one; with the codes of samples in memory.
  void restore(FitState& state);
  template <class T>
  void restore(FitState& state, const Samples<T>& samples, CodeStore<T>& codes);

  // Whether the end of this iteration, `seconds` after the start, is the time to write.
  bool is_due(double seconds);
  void write(const FitState& state);
  template <class T>
  void write(const FitState& state, const Samples<T>& samples, const CodeStore<T>& codes);

 private:
  void open();
  void read_once(FitState& state, const std::function<void()>& read_codes);
  void write_file(const FitState& state, const std::function<void(TensorFile&)>& add_codes);

  Ranks& ranks_;
  CheckpointOptions options_;
  RunIdentity identity_;
  TensorFile file_;             // what was read
  std::size_t generation_ = 0;  // of the codes beside the file
  bool had_parts_ = false;      // there are such
  double last_write_ = 0;       // in seconds since the start
  double last_iteration_ = 0;   // when it ended
};

RunIdentity identity_of(std::size_t n_features, const LearnOptions& options, const PreprocessOptions& preprocess);

}  // namespace dualdict
