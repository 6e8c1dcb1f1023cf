// SPDX-License-Identifier: BSD-3-Clause
#include "io/zip/zip_reader.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "io/bytes/endian.h"
#include "io/bytes/inflater.h"
#include "io/bytes/input_error.h"
#include "io/zip/zip_format.h"

namespace dualdict {
namespace {

std::uint16_t u16(const std::byte* at) {
  return load_le<std::uint16_t>(at);
}
std::uint32_t u32(const std::byte* at) {
  return load_le<std::uint32_t>(at);
}
std::uint64_t u64(const std::byte* at) {
  return load_le<std::uint64_t>(at);
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The end record is the last thing in the file but for a comment of at most 65535 bytes.
std::uint64_t find_end_record(const ByteSource& bytes) {
  const std::uint64_t tail_size = std::min<std::uint64_t>(bytes.size(), kEndSize + 65535);
  std::vector<std::byte> tail(static_cast<std::size_t>(tail_size));
  bytes.read(bytes.size() - tail_size, tail);
  for (std::size_t at = tail.size() >= kEndSize ? tail.size() - kEndSize + 1 : 0; at-- > 0;) {
    const std::byte* record = tail.data() + at;
    if (u32(record) == kEndSignature && at + kEndSize + u16(record + 20) == tail.size())
      return bytes.size() - tail_size + at;
  }
  fail_input(bytes.name(), "the zip archive has no directory at its end: it is truncated");
}

Directory find_directory(const ByteSource& bytes) {
  const std::uint64_t end = find_end_record(bytes);
  std::array<std::byte, kEndSize> record{};
  bytes.read(end, record);
  Directory directory{u32(record.data() + 16), u32(record.data() + 12)};
  if (end >= kLocator64Size) {
    std::array<std::byte, kLocator64Size> locator{};
    bytes.read(end - kLocator64Size, locator);
    if (u32(locator.data()) == kLocator64Signature) {
      std::array<std::byte, kEnd64Size> record64{};
      const std::uint64_t at = u64(locator.data() + 8);
      require_bytes(bytes, at, kEnd64Size, "bytes of a zip64 record");
      bytes.read(at, record64);
      if (u32(record64.data()) != kEnd64Signature) fail_input(bytes.name(), "the zip64 record is damaged");
      directory = {u64(record64.data() + 48), u64(record64.data() + 40)};
    }
  }
  require_bytes(bytes, directory.offset, directory.size, "bytes of the zip directory");
  return directory;
}

// Fields that hold 2^32 - 1 are in the zip64 extra field instead, in this order.
bool apply_zip64(std::span<const std::byte> extra, ZipMember& member) {
  std::array<std::uint64_t*, 3> fields{&member.size, &member.compressed_size, &member.header_offset};
  const auto is_absent = [](const std::uint64_t* field) { return *field == kInZip64; };
  if (std::none_of(fields.begin(), fields.end(), is_absent)) return true;
  while (extra.size() >= 4) {
    const std::uint16_t id = u16(extra.data());
    const std::size_t length = u16(extra.data() + 2);
    extra = extra.subspan(4);
    if (length > extra.size()) return false;
    if (id == kZip64Extra) {
      auto values = extra.first(length);
      for (std::uint64_t* field : fields) {
        if (!is_absent(field)) continue;
        if (values.size() < 8) return false;
        *field = u64(values.data());
        values = values.subspan(8);
      }
      return true;
    }
    extra = extra.subspan(length);
  }
  return false;
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const ByteSource& bytes) {
  const Directory directory = find_directory(bytes);
  std::vector<std::byte> content(static_cast<std::size_t>(directory.size));
  bytes.read(directory.offset, content);
  std::vector<ZipMember> members;
  std::span<const std::byte> rest(content);
  while (!rest.empty()) {
    const std::byte* entry = rest.data();
    if (rest.size() < kEntrySize || u32(entry) != kEntrySignature)
      fail_input(bytes.name(), "the zip directory is damaged at entry " + std::to_string(members.size()));
    const std::size_t name_size = u16(entry + 28);
    const std::size_t extra_size = u16(entry + 30);
    const std::size_t comment_size = u16(entry + 32);
    ZipMember member;
    member.flags = u16(entry + 8);
    member.method = u16(entry + 10);
    member.crc = u32(entry + 16);
    member.compressed_size = u32(entry + 20);
    member.size = u32(entry + 24);
    member.header_offset = u32(entry + 42);
    rest = rest.subspan(kEntrySize);
    if (name_size + extra_size + comment_size > rest.size() ||
        !apply_zip64(rest.subspan(name_size, extra_size), member))
      fail_input(bytes.name(), "the zip directory is damaged at entry " + std::to_string(members.size()));
    member.name.assign(reinterpret_cast<const char*>(rest.data()), name_size);
    rest = rest.subspan(name_size + extra_size + comment_size);
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<std::byte> extract_zip_member(const ByteSource& bytes, const ZipMember& member) {
  constexpr std::uint16_t kStored = 0;
  constexpr std::uint16_t kDeflated = 8;
  const std::string what = "zip member " + in_quotes(member.name);
  if ((member.flags & 1U) != 0) fail_input(bytes.name(), what + " is encrypted");
  if (member.method != kStored && member.method != kDeflated)
    fail_input(bytes.name(), what + " is compressed by method " + std::to_string(member.method) +
                                 "; stored and deflated members are read (numpy.savez, numpy.savez_compressed)");
  std::array<std::byte, kLocalSize> local{};
  require_bytes(bytes, member.header_offset, kLocalSize, "bytes of a zip member's header");
  bytes.read(member.header_offset, local);
  if (u32(local.data()) != kLocalSignature) fail_input(bytes.name(), what + " has no header where it should be");
  const std::uint64_t start = member.header_offset + kLocalSize + u16(local.data() + 26) + u16(local.data() + 28);
  require_bytes(bytes, start, member.compressed_size, "bytes of a zip member");
  std::vector<std::byte> content;
  if (member.method == kStored) {
    if (member.size != member.compressed_size) fail_input(bytes.name(), what + " has two different sizes");
    content.resize(static_cast<std::size_t>(member.size));
    bytes.read(start, content);
  } else {
    if (member.size / kMaxDeflateRatio > member.compressed_size)
      fail_input(bytes.name(), what + " declares " + std::to_string(member.size) + " bytes, more than " +
                                   std::to_string(member.compressed_size) + " compressed bytes can hold");
    Inflater(bytes, start, member.compressed_size, Inflater::Wrapping::kRaw).read_rest(member.size, content);
  }
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  if (crc != member.crc) fail_input(bytes.name(), what + " is damaged: its checksum differs");
  return content;
}

}  // namespace dualdict
