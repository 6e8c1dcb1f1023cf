// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all, and survives a power cut once commit() has returned.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/bytes/byte_sink.h"

namespace dualdict {

// Writes to a temporary file in the folder of the target. Every failure throws Error(kWrite) naming target and reason,
// removes the temporary file and leaves the old file as it was. A link is followed; the old file's permissions are
// kept. A target that is a device or a pipe is written directly. What a killed process left of an earlier attempt is
// removed.
class DurableFile final : public ByteSink {
 public:
  explicit DurableFile(const std::string& path);
  ~DurableFile() override;
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  // A large file finds its place on the disk at once, which makes writing cheaper.
  void reserve(std::uint64_t bytes) override;
  void append(std::span<const std::byte> bytes) override;
  // Flushes to the disk, takes the target's place, and flushes the folder.
  void commit() override;

 private:
  void open_temporary();
  bool lock_temporary(std::string&& name);
  void write_out(std::span<const std::byte> bytes);
  void flush();
  void take_place(int folder);
  void discard() noexcept;
  [[noreturn]] void fail(const char* step, int error);

  std::string path_;       // as given
  std::string target_;     // with links resolved
  std::string temporary_;  // empty when the target is written directly
  std::vector<std::byte> buffer_;
  std::size_t unsent_ = 0;  // bytes since the system was last asked to start writing
  int descriptor_ = -1;
  int lock_ = -1;  // holds the lock on the temporary file until it has its final name
};

void write_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace dualdict
