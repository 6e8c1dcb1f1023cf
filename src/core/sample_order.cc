// SPDX-License-Identifier: BSD-3-Clause
#include "core/sample_order.h"

#include <bit>

#include "core/hash.h"

namespace dualdict {

SampleOrder::SampleOrder(std::size_t n, Random& random) : n_(n) {
  if (n <= kListed) {
    list_ = random.permutation(n);
    return;
  }
  half_bits_ = (static_cast<unsigned>(std::bit_width(n - 1)) + 1) / 2;
  for (std::uint64_t& key : keys_) key = random.next();
}

// A Feistel network on the next even number of bits, walked until the result is below n: at most four times as many
// numbers as n, so the walk is short.
std::size_t SampleOrder::computed(std::size_t i) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t value = i;
  do {
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & mask;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t next = left ^ (mix64(right ^ key) & mask);
      left = right;
      right = next;
    }
    value = (left << half_bits_) | right;
  } while (value >= n_);
  return value;
}

}  // namespace dualdict
