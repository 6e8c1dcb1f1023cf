// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "learn/samples/code_store.h"
#include "learn/samples/samples.h"

namespace dualdict {

// Some samples and their codes so far. The range is in the order of the samples of all ranks.
template <class T>
struct Batch {
  const Samples<T>& samples;
  CodeStore<T>& codes;
  SampleRange range;

  // The rows of this rank.
  SampleRange rows() const {
    const std::size_t first = samples.n_first(range.first);
    return {first, samples.n_first(range.first + range.count) - first};
  }
};

}  // namespace dualdict
