// SPDX-License-Identifier: BSD-3-Clause
// Decompression of a part of a file, as much at a time as the caller asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/bytes/byte_source.h"

namespace dualdict {

class Inflater {
 public:
  enum class Wrapping { kRaw, kGzip };

  // The compressed bytes are [offset, offset + size) of the source, which must outlive this object.
  Inflater(const ByteSource& source, std::uint64_t offset, std::uint64_t size, Wrapping wrapping);
  ~Inflater();

  // Fills `out` as far as the stream goes and returns how much that was: less than asked for only at its end. Throws
  // Error(kInput) when the stream is damaged or cut.
  std::size_t read(std::span<std::byte> out);

  // Exactly `size` bytes more, and the end of the stream after them. Memory grows with what really comes, so that a
  // wrong size costs nothing.
  void read_rest(std::uint64_t size, std::vector<std::byte>& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// No deflate stream grows by more than this factor.
constexpr std::uint64_t kMaxDeflateRatio = 1032;

}  // namespace dualdict
