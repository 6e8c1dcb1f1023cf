// SPDX-License-Identifier: BSD-3-Clause
// Zip archives, as far as npz needs them: stored and deflated members, zip64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.h"

namespace dualdict {

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;
};

std::vector<ZipMember> read_zip_directory(const ByteSource& bytes);
// The member's content; its size and checksum have been checked.
std::vector<std::byte> extract_zip_member(const ByteSource& bytes, const ZipMember& member);

}  // namespace dualdict
