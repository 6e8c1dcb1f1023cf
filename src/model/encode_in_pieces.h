// SPDX-License-Identifier: BSD-3-Clause
// Encoding that an interrupt can end between two blocks of samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/interrupt.h"
#include "core/thread_pool.h"
#include "dualdict/encode.h"
#include "dualdict/progress.h"
#include "solvers/code_step.h"

namespace dualdict {

// How the end of learning works.
struct FitRun {
  std::size_t n_threads = 0;             // 0: all that there are
  const Interrupt* interrupt = nullptr;  // nullptr: never
  LearnProgress* progress = nullptr;     // nullptr: nobody watches
};

// Says what is done next, where somebody watches.
inline void begin_phase(const FitRun& run, const std::string& phase, std::size_t total = 0) {
  if (run.progress != nullptr) run.progress->begin(phase, total, "modes");
}
inline void advance_phase(const FitRun& run) {
  if (run.progress != nullptr) run.progress->advance();
}

// A block for every thread at a time. Throws Interrupted when that is due.
template <class T>
void encode_in_pieces(const Encoder& encoder, MatrixView<const T> samples, const FitRun& run, MatrixView<T> codes) {
  const std::size_t most = kBlockSamples * resolve_threads(run.n_threads);
  for (std::size_t first = 0; first < samples.rows; first += most) {
    if (run.interrupt != nullptr) run.interrupt->throw_if_due();
    const std::size_t count = std::min(most, samples.rows - first);
    encoder.encode(samples.row_range(first, count), codes.row_range(first, count));
  }
}

}  // namespace dualdict
