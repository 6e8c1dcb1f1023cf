// SPDX-License-Identifier: BSD-3-Clause
// Numbers in files of a fixed byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace dualdict {

// The writers hand memory to the file as it is.
static_assert(std::endian::native == std::endian::little, "this library writes little-endian files from memory");

template <class T>
T load_le(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
T load_be(const std::byte* from) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

// Appends to a container of bytes.
template <class T, class Bytes>
void append_le(Bytes& to, T value) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace dualdict
