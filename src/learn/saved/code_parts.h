// SPDX-License-Identifier: BSD-3-Clause
// The codes of a checkpoint of several ranks: each rank writes those of its samples to a file of its own beside the
// checkpoint, PATH.part-GENERATION-RANK. The checkpoint names the generation that belongs to it; a new generation is
// complete before the checkpoint that names it is written, and the old one goes after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/tensors/safetensors.h"
#include "learn/samples/code_store.h"
#include "learn/samples/samples.h"

namespace dualdict {

struct SavedParts {
  std::vector<std::size_t> starts;  // first sample of each part, and the total; one part: the codes are in the file
  std::size_t generation = 0;
  std::size_t n_parts() const { return starts.size() - 1; }
};

// What a checkpoint says of its parts, and the reverse.
SavedParts saved_parts(const TensorFile& file, const std::string& path, std::size_t n_samples);
void add_parts(TensorFile& file, const SavedParts& parts);

template <class T>
void write_part(const std::string& path, const SavedParts& parts, std::size_t rank, const CodeStore<T>& codes);

// Fills the codes of this rank's samples from the parts that hold them, however many ranks there were and are. `file`
// is the checkpoint; the order of all samples follows from the seed.
template <class T>
void read_parts(const TensorFile& file, const std::string& path, const SavedParts& saved, std::uint64_t seed,
                const Samples<T>& samples, CodeStore<T>& codes);

// Removes the parts of other generations, and all when the codes are in the file. What cannot be removed stays.
void remove_other_parts(const std::string& path, const SavedParts& parts) noexcept;

}  // namespace dualdict
