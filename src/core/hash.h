// SPDX-License-Identifier: BSD-3-Clause
// 128-bit XXH3 checksums, for model files and data fingerprints. They find damage, not forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dualdict {

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  void add(const void* bytes, std::size_t size);
  // Text with its length before it, so that neighbouring fields cannot run into each other.
  void add_field(std::string_view text);
  // "xxh3-128:" and 32 hexadecimal digits.
  std::string digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 64 bits, for sums of many of them.
std::uint64_t hash64(const void* bytes, std::size_t size);
// Spreads the bits of a number over all 64 (the last steps of splitmix64).
std::uint64_t mix64(std::uint64_t value);
// As 16 hexadecimal digits.
std::string hex64(std::uint64_t value);

}  // namespace dualdict
