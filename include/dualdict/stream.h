// SPDX-License-Identifier: BSD-3-Clause
// Samples that come one after the other and are not kept: from files larger than memory, from images that are cut while
// they are read, from a pipe that may never end.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/learn.h"
#include "dualdict/matrix.h"

namespace dualdict {

// Read by one thread at a time.
class DUALDICT_API SampleStream {
 public:
  virtual ~SampleStream() = default;
  virtual std::size_t n_features() const = 0;
  virtual SampleShape sample_shape() const = 0;
  // For messages.
  virtual std::string name() const = 0;
  // How many there are in all, when that is known.
  virtual std::optional<std::size_t> n_samples() const = 0;

  // Fills rows of `out` from the first on, as stored, and returns how many; 0 at the end, or when the wait for them was
  // interrupted. Waits for one sample, and then takes those that are there. Only whole samples: throws Error(kInput)
  // when the stream ends within one, or before it should, after all whole ones were handed out.
  virtual std::size_t read(MatrixView<float> out) = 0;
  virtual std::size_t read(MatrixView<double> out) = 0;
  // Passes over so many samples and returns how many there were; by default it reads them.
  virtual std::size_t skip(std::size_t count);
  // Back to the first sample; false when they are gone once they are read.
  virtual bool rewind() = 0;
  // From another thread: ends a wait in read().
  virtual void cancel() {}
};

// Samples without a header: one after the other, in the byte order of the machine.
struct RawRecords {
  ElementType type = ElementType::kFloat32;
  std::size_t n_features = 0;
};
// "float32:144", or "float32" when the number of features is known (`n_features` > 0); throws Error(kUsage).
DUALDICT_API RawRecords parse_raw(std::string_view text, std::size_t n_features = 0);

struct StreamOptions {
  // Set: the paths are images or folders of images of any total size. They are decoded one after the other, and random
  // patches are cut out of a few at a time; which ones follows from the seed.
  std::optional<PatchOptions> patches;
  // Set: what comes from a pipe or a file is such records. Else npy, or for files any format that open_data reads.
  std::optional<RawRecords> raw;
  // Ends a wait for a pipe when true.
  const std::atomic<bool>* interrupt = nullptr;
};

// The path "-" is standard input: one npy array, several of the same width one after the other, or raw records.
DUALDICT_API std::unique_ptr<SampleStream> open_stream(const std::vector<std::string>& paths,
                                                       const StreamOptions& options = {});

// Learns from a stream in constant memory: every sample is coded once a pass, and its code is not kept. Pieces of so
// many samples go through the steps of the warm-up of learn(); the same samples in the same order give the same bits,
// whatever they come from. In the first pass the sums of early samples fade; in a later one, the sums of a part of the
// stream take the place of those that the same part left in the pass before: with that, D and C move to where learning
// from all samples in memory would lead. Reading, checking and preprocessing of the next samples goes on while these
// are worked on.
//
// center_features reads a stream that can be read again once more, for its means. With several ranks every rank is
// given the whole stream, which must be no pipe, and reads its share of each piece. A checkpoint goes on with the same
// stream from its beginning. on_iteration is told now and then, of steps; the summary keeps no records. Throws as
// learn().
DUALDICT_API LearnResult learn_stream(SampleStream& stream, const LearnOptions& options,
                                      const LearnContext& context = {}, std::size_t n_passes = 1);

}  // namespace dualdict
