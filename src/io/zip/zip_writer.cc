// SPDX-License-Identifier: BSD-3-Clause
#include "io/zip/zip_writer.h"

#include <zlib.h>

#include "io/bytes/endian.h"
#include "io/zip/zip_format.h"

namespace dualdict {
namespace {

constexpr std::uint16_t kVersion = 45;  // the first with zip64
constexpr std::uint16_t kStored = 0;
constexpr std::uint32_t kFirstDay = 0x00210000;  // 1980-01-01 00:00, the format's zero

void append_name(std::vector<std::byte>& to, const std::string& name) {
  const auto bytes = std::as_bytes(std::span<const char>(name));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// What local header and directory entry have in common, up to the length of the extra field.
void append_common(std::vector<std::byte>& to, std::uint32_t crc, const std::string& name, std::uint16_t extra_size) {
  append_le<std::uint16_t>(to, kVersion);
  append_le<std::uint16_t>(to, 0);
  append_le<std::uint16_t>(to, kStored);
  append_le<std::uint32_t>(to, kFirstDay);
  append_le<std::uint32_t>(to, crc);
  append_le<std::uint32_t>(to, kInZip64);
  append_le<std::uint32_t>(to, kInZip64);
  append_le<std::uint16_t>(to, static_cast<std::uint16_t>(name.size()));
  append_le<std::uint16_t>(to, extra_size);
}

void append_sizes(std::vector<std::byte>& to, std::uint16_t n_fields, std::uint64_t size) {
  append_le<std::uint16_t>(to, kZip64Extra);
  append_le<std::uint16_t>(to, static_cast<std::uint16_t>(8 * n_fields));
  append_le<std::uint64_t>(to, size);
  append_le<std::uint64_t>(to, size);
}

}  // namespace

void ZipWriter::put(std::span<const std::byte> bytes) {
  sink_.append(bytes);
  offset_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::initializer_list<std::span<const std::byte>> parts) {
  std::uint64_t size = 0;
  uLong crc = 0;
  for (const auto& part : parts) {
    size += part.size();
    if (!part.empty()) crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  const auto checksum = static_cast<std::uint32_t>(crc);

  append_le<std::uint32_t>(directory_, kEntrySignature);
  append_le<std::uint16_t>(directory_, kVersion);
  append_common(directory_, checksum, name, 28);
  append_le<std::uint16_t>(directory_, 0);  // no comment
  append_le<std::uint16_t>(directory_, 0);  // the only disk
  append_le<std::uint16_t>(directory_, 0);  // internal attributes
  append_le<std::uint32_t>(directory_, 0);  // external attributes
  append_le<std::uint32_t>(directory_, kInZip64);
  append_name(directory_, name);
  append_sizes(directory_, 3, size);
  append_le<std::uint64_t>(directory_, offset_);

  std::vector<std::byte> local;
  append_le<std::uint32_t>(local, kLocalSignature);
  append_common(local, checksum, name, 20);
  append_name(local, name);
  append_sizes(local, 2, size);
  put(local);
  for (const auto& part : parts) put(part);
  ++n_members_;
}

void ZipWriter::finish() {
  const std::uint64_t directory_offset = offset_;
  put(directory_);
  const std::uint64_t end64_offset = offset_;
  std::vector<std::byte> end;
  append_le<std::uint32_t>(end, kEnd64Signature);
  append_le<std::uint64_t>(end, 44);  // bytes of this record that follow
  append_le<std::uint16_t>(end, kVersion);
  append_le<std::uint16_t>(end, kVersion);
  append_le<std::uint32_t>(end, 0);
  append_le<std::uint32_t>(end, 0);
  append_le<std::uint64_t>(end, n_members_);
  append_le<std::uint64_t>(end, n_members_);
  append_le<std::uint64_t>(end, directory_.size());
  append_le<std::uint64_t>(end, directory_offset);

  append_le<std::uint32_t>(end, kLocator64Signature);
  append_le<std::uint32_t>(end, 0);
  append_le<std::uint64_t>(end, end64_offset);
  append_le<std::uint32_t>(end, 1);

  append_le<std::uint32_t>(end, kEndSignature);
  append_le<std::uint32_t>(end, 0);
  append_le<std::uint32_t>(end, 0xffffffff);  // both counts
  append_le<std::uint32_t>(end, kInZip64);
  append_le<std::uint32_t>(end, kInZip64);
  append_le<std::uint16_t>(end, 0);
  put(end);
}

}  // namespace dualdict
