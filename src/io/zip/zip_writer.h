// SPDX-License-Identifier: BSD-3-Clause
// Zip archives of stored members. Always zip64, so that one way of writing serves every size, and without dates, so
// that the same content gives the same bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "io/bytes/byte_sink.h"

namespace dualdict {

class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}
  // The parts, one after the other, are the member's content.
  void add(const std::string& name, std::initializer_list<std::span<const std::byte>> parts);
  // Writes the directory; the sink is still to be committed.
  void finish();

 private:
  void put(std::span<const std::byte> bytes);

  ByteSink& sink_;
  std::uint64_t offset_ = 0;
  std::uint64_t n_members_ = 0;
  std::vector<std::byte> directory_;
};

}  // namespace dualdict
