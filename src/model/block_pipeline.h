// SPDX-License-Identifier: BSD-3-Clause
// Numbered blocks, made by many threads and written in order.
#pragma once

#include <cstddef>
#include <functional>

namespace dualdict {

struct PipelineSteps {
  // Fills slot `slot` with block `block`. Blocks are handed out in order; several are made at once, in different slots.
  std::function<void(std::size_t block, std::size_t slot)> make;
  // Takes block `block` out of its slot: one at a time, in order.
  std::function<void(std::size_t block, std::size_t slot)> write;
};

// A block waits in its slot until those before it are written: the memory that a pipeline needs.
std::size_t n_pipeline_slots(std::size_t n_threads);

// Makes and writes n_blocks blocks with n_threads threads, the calling one among them: with one there is no other.
// Every thread writes when a block is due and makes one otherwise, so that none of them only waits for files. When a
// step throws, nothing more is begun, the others end what they are at, and the failure of the lowest block is rethrown:
// the one that a single thread would have met.
void run_pipeline(std::size_t n_blocks, std::size_t n_threads, const PipelineSteps& steps);

}  // namespace dualdict
