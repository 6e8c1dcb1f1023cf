// SPDX-License-Identifier: BSD-3-Clause
// Encoding that an interrupt can end between two blocks of samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/clock.h"
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

// Throws Interrupted when that is due, which is looked at between pieces: a block for every thread at most, and smaller
// where codes are slow. What a sample's code is does not depend on its piece.
template <class T>
void encode_in_pieces(const Encoder& encoder, MatrixView<const T> samples, const FitRun& run, MatrixView<T> codes) {
  constexpr double kSecondsDeaf = 0.1;
  constexpr std::size_t kFewest = 8;
  const std::size_t n_threads = resolve_threads(run.n_threads);
  std::size_t size = kFewest * n_threads;
  for (std::size_t first = 0, count = 0; first < samples.rows; first += count) {
    if (run.interrupt != nullptr) run.interrupt->throw_if_due();
    count = std::min(size, samples.rows - first);
    const Stopwatch clock;
    encoder.encode(samples.row_range(first, count), codes.row_range(first, count));
    if (clock.seconds() < kSecondsDeaf) size = std::min(2 * size, kBlockSamples * n_threads);
    if (clock.seconds() > 2 * kSecondsDeaf) size = std::max(size / 2, n_threads);
  }
}

}  // namespace dualdict
