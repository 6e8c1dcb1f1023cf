// SPDX-License-Identifier: BSD-3-Clause
// Reading files by offset. Never by mapping: a file cut short while it is read must give an error, not a signal.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "io/bytes/byte_source.h"

namespace dualdict {

// Looks at the first bytes of a stream, kStartBytes or all there are, and throws when more of it is not worth reading.
using CheckStart = std::function<void(const std::string& name, std::span<const std::byte> start)>;
inline constexpr std::size_t kStartBytes = 512;

// A regular file, open for as long as the object lives.
class FileReader final : public ByteSource {
 public:
  // Throws Error(kInput) "PATH: cannot open: REASON".
  explicit FileReader(const std::string& path);
  ~FileReader() override;

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override;
  // Not a regular file (a pipe, a terminal): offsets mean nothing, only read_all() works.
  bool is_stream() const { return is_stream_; }
  // Everything up to the end of a stream.
  std::shared_ptr<const ByteSource> read_all(const CheckStart& check) const;

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool is_stream_ = false;
};

// A file; pipes, and standard input as "-", are read to their end into memory.
std::shared_ptr<const ByteSource> open_bytes(const std::string& path, const CheckStart& check = nullptr);

}  // namespace dualdict
