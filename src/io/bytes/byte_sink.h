// SPDX-License-Identifier: BSD-3-Clause
// Where writers put bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace dualdict {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // About so many bytes will be appended in all: a hint to those who can make room for them at once.
  virtual void reserve(std::uint64_t) {}
  // Throws Error(kWrite) naming the target and the reason.
  virtual void append(std::span<const std::byte> bytes) = 0;
  // Everything has been appended: makes it visible and lasting.
  virtual void commit() = 0;
};

// Bytes in memory.
struct StringSink final : ByteSink {
  void append(std::span<const std::byte> bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void commit() override {}
  std::string text;
};

// Standard output. What was appended stays written whether or not commit() follows.
std::unique_ptr<ByteSink> open_standard_output();

template <class T>
void append_elements(ByteSink& sink, std::span<const T> elements) {
  sink.append(std::as_bytes(elements));
}
inline void append_text(ByteSink& sink, const std::string& text) {
  append_elements(sink, std::span<const char>(text));
}

}  // namespace dualdict
