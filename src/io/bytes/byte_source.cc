// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/byte_source.h"

#include <algorithm>

#include "io/bytes/input_error.h"

namespace dualdict {

void MemoryBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
  require_bytes(*this, offset, out.size(), "bytes");
  const auto from = bytes_.subspan(static_cast<std::size_t>(offset), out.size());
  std::copy(from.begin(), from.end(), out.begin());
}

std::shared_ptr<const ByteSource> load_into_memory(std::shared_ptr<const ByteSource> source) {
  if (!source->in_memory().empty()) return source;
  std::vector<std::byte> bytes(static_cast<std::size_t>(source->size()));
  source->read(0, bytes);
  return make_memory_bytes(source->name(), std::move(bytes));
}

void require_bytes(const ByteSource& source, std::uint64_t offset, std::uint64_t count, const std::string& what) {
  const std::uint64_t size = source.size();
  if (offset <= size && count <= size - offset) return;
  fail_input(source.name(), "ends at byte " + std::to_string(size) + ", but " + std::to_string(count) + " " + what +
                                " should follow at offset " + std::to_string(offset) + ": the file is truncated");
}

}  // namespace dualdict
