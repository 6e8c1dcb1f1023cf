// SPDX-License-Identifier: BSD-3-Clause
// Bytes that a reader may ask for at any offset: a file or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dualdict {

// read() may be called from several threads at once.
class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // For messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  virtual std::uint64_t size() const = 0;
  // Fills all of `out` from `offset`; throws Error(kInput) naming file and offset when the bytes are not there.
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  // Everything, when it is in memory anyway; else an empty span.
  virtual std::span<const std::byte> in_memory() const { return {}; }

 private:
  std::string name_;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string name, std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : ByteSource(std::move(name)), owner_(std::move(owner)), bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override;
  std::span<const std::byte> in_memory() const override { return bytes_; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

// Takes over the elements without a copy.
template <class T>
std::shared_ptr<const ByteSource> make_memory_bytes(std::string name, std::vector<T> elements) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
  const auto bytes = std::as_bytes(std::span<const T>(*owner));
  return std::make_shared<const MemoryBytes>(std::move(name), owner, bytes);
}

// The whole content in memory.
std::shared_ptr<const ByteSource> load_into_memory(std::shared_ptr<const ByteSource> source);

// Throws Error(kInput) "NAME: ends at byte N, ..." unless the source holds [offset, offset + count).
void require_bytes(const ByteSource& source, std::uint64_t offset, std::uint64_t count, const std::string& what);

}  // namespace dualdict
