// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every platform: xoshiro256** (Blackman and Vigna, 2018) seeded by splitmix64,
// and our own distributions, because those of the standard library differ between implementations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dualdict {

class Random {
 public:
  // Different streams of one seed are independent for our purposes.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  // Uniform in [0, 1), 53 bits.
  double uniform();
  // Uniform in [0, n); n >= 1. Without bias.
  std::size_t index(std::size_t n);
  // Standard normal.
  double normal();
  // A random permutation of 0 .. n-1.
  std::vector<std::size_t> permutation(std::size_t n);

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace dualdict
