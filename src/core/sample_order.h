// SPDX-License-Identifier: BSD-3-Clause
// A random order of the samples that any rank can ask about any sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.h"

namespace dualdict {

// A permutation of 0 .. n-1. Up to kListed it is drawn and kept; beyond, it is a keyed bijection that is computed where
// it is asked for, so that no rank holds something as long as all samples.
class SampleOrder {
 public:
  static constexpr std::size_t kListed = std::size_t{1} << 24;

  SampleOrder(std::size_t n, Random& random);
  std::size_t at(std::size_t i) const { return list_.empty() ? computed(i) : list_[i]; }

 private:
  std::size_t computed(std::size_t i) const;

  std::size_t n_;
  unsigned half_bits_ = 0;
  std::array<std::uint64_t, 4> keys_{};
  std::vector<std::size_t> list_;
};

}  // namespace dualdict
